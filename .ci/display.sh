# Sourced: a display of its own with a window manager, and programs on it that end with the script.
# Gives `home` (a fresh folder), `display`, `pids`, `clean` (a command's whole environment) and the functions below.

home=$(mktemp -d)
pids=()
end() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$home"
}
trap end EXIT

# until_true SECONDS COMMAND…: runs it until it works.
until_true() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@"; do
    [ "$SECONDS" -lt "$deadline" ] || return 1
    sleep 0.1
  done
}

manager_is_there() { xprop -root _NET_SUPPORTING_WM_CHECK 2>/dev/null | grep -q 'window id'; }

start_display() {
  # The server picks a free number and writes it down when it is ready.
  Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp 3>"$home/display" >/dev/null 2>&1 &
  pids+=($!)
  until_true 10 test -s "$home/display" || { echo "no display came up"; return 1; }
  display=":$(cat "$home/display")"
  export DISPLAY=$display
  openbox >/dev/null 2>&1 &
  pids+=($!)
  # A window that is shown while the manager starts may be shown to nobody.
  until_true 10 manager_is_there || { echo "no window manager came up"; return 1; }
  clean=(env -i PATH="/usr/bin:/bin" HOME="$home" LANG=C.UTF-8 DISPLAY="$display" LIBGL_ALWAYS_SOFTWARE=1)
}

window_of() {
  window=$(xdotool search --onlyvisible --pid "$1" --name tunaflow 2>/dev/null | tail -1)
  [ -n "$window" ]
}

# start_window DATA PROJECT: sets `app` and `window`.
start_window() {
  "${clean[@]}" "$binary" --data-dir "$1" --project "$2" >"$home/out" 2>&1 &
  app=$!
  pids+=("$app")
  until_true 30 window_of "$app" || { echo "no window appeared"; cat "$home/out"; return 1; }
  # A window takes the focus when it is drawn, not when it is made.
  focus || { echo "the window never took the focus"; return 1; }
}

focus() { until_true 10 xdotool windowfocus "$window" 2>/dev/null; }
