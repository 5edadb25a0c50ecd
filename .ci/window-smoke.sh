#!/usr/bin/env bash
# window-smoke.sh BINARY: starts the window on a fresh home under Xvfb, types a message to the demo engine,
# and checks by the database that it was answered; then closes the window and checks that nothing is left running.
set -euo pipefail
binary=$(realpath "$1")
# shellcheck source=.ci/display.sh
. "$(dirname "$0")/display.sh"
start_display

mkdir -p "$home/project"
start_window "$home/data" "$home/project"

state() { "${clean[@]}" "$binary" --data-dir "$home/data" --project "$home/project" conversations --json 2>/dev/null || true; }

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
