#!/usr/bin/env bash
# window-smoke.sh BINARY: starts the window on a fresh home under Xvfb, types a message to the demo engine,
# and checks by the database that it was answered; then closes the window and checks that nothing is left running.
set -euo pipefail
binary=$(realpath "$1")
home=$(mktemp -d)
pids=()
end() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$home"
}
trap end EXIT

# The server picks a free number and writes it down when it is ready.
Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp 3>"$home/display" >/dev/null 2>&1 &
pids+=($!)
for _ in $(seq 100); do [ -s "$home/display" ] && break; sleep 0.1; done
display=":$(cat "$home/display")"
export DISPLAY=$display
openbox >/dev/null 2>&1 &
pids+=($!)
# A window that is shown while the manager starts may be shown to nobody.
for _ in $(seq 100); do xprop -root _NET_SUPPORTING_WM_CHECK 2>/dev/null | grep -q 'window id' && break; sleep 0.1; done

mkdir -p "$home/project"
clean=(env -i PATH="/usr/bin:/bin" HOME="$home" LANG=C.UTF-8 DISPLAY="$display" LIBGL_ALWAYS_SOFTWARE=1)
"${clean[@]}" "$binary" --data-dir "$home/data" --project "$home/project" >"$home/out" 2>&1 &
app=$!
pids+=("$app")

window=""
for _ in $(seq 200); do
  window=$(xdotool search --onlyvisible --pid "$app" --name tunaflow 2>/dev/null | tail -1) && [ -n "$window" ] && break
  sleep 0.1
done
[ -n "$window" ] || { echo "no window appeared"; cat "$home/out"; exit 1; }

state() { "${clean[@]}" "$binary" --data-dir "$home/data" --project "$home/project" conversations --json 2>/dev/null || true; }

# A window takes the focus when it is drawn, not when it is made.
focus() { for _ in $(seq 100); do xdotool windowfocus "$window" 2>/dev/null && return 0; sleep 0.1; done; return 1; }
focus || { echo "the window never took the focus"; exit 1; }
sleep 0.5
xdotool key ctrl+n
answered=""
for round in $(seq 100); do
  # The first keys may come before the composer has the focus: say it again until it is heard.
  if [ $((round % 20)) -eq 5 ]; then focus; xdotool type --delay 20 "hello"; xdotool key Return; fi
  if state | grep -q '"last_turn":"done"\|"state":"done"'; then answered=yes; break; fi
  sleep 0.2
done
[ -n "$answered" ] || { echo "no answer in the window"; state; cat "$home/out"; import -window root "${WINDOW_SMOKE_SHOT:-/dev/null}" 2>/dev/null || true; exit 1; }
focus; xdotool key alt+F4
for _ in $(seq 100); do kill -0 "$app" 2>/dev/null || break; sleep 0.1; done
if kill -0 "$app" 2>/dev/null; then echo "the window did not close"; exit 1; fi
if pgrep -f "$home/data" >/dev/null; then echo "something was left running"; pgrep -af "$home/data"; exit 1; fi
echo "window: opened, answered, closed"
