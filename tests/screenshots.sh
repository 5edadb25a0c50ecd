#!/usr/bin/env bash
# screenshots.sh BINARY OUT [name...]: pictures of the window over made-up snapshots, under Xvfb.
# BINARY must be a debug build (cargo build), since release builds have no such snapshots.
# Needs: xvfb, openbox, xdotool, imagemagick.
set -euo pipefail
binary=$(realpath "$1")
out=$2
shift 2
mkdir -p "$out"
home=$(mktemp -d)
pids=()
end() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  rm -rf "$home"
}
trap end EXIT
# The server picks a free number and writes it down when it is ready.
Xvfb -displayfd 3 -screen 0 2000x1200x24 -nolisten tcp 3>"$home/display" >/dev/null 2>&1 &
pids+=($!)
for _ in $(seq 100); do [ -s "$home/display" ] && break; sleep 0.1; done
display=":$(cat "$home/display")"
export DISPLAY=$display
openbox >/dev/null 2>&1 &
pids+=($!)

shot() { # name fixture theme size zoom [keys]
  local name=$1 fixture=$2 theme=$3 size=$4 zoom=$5 keys=${*:6} app window=""
  env -i PATH=/usr/bin:/bin HOME="$home" LANG=C.UTF-8 DISPLAY="$display" LIBGL_ALWAYS_SOFTWARE=1 \
    "$binary" __ui-fixture "$fixture" "$theme" "$size" "$zoom" >"$home/out" 2>&1 &
  app=$!
  for _ in $(seq 200); do
    window=$(xdotool search --onlyvisible --pid "$app" --name tunaflow 2>/dev/null | tail -1) && [ -n "$window" ] && break
    sleep 0.1
  done
  [ -n "$window" ] || { echo "$name: no window"; cat "$home/out"; kill "$app"; return 1; }
  xdotool mousemove 1995 1195
  sleep 1.5
  if [ -n "$keys" ]; then
    for _ in $(seq 50); do xdotool windowfocus "$window" 2>/dev/null && break; sleep 0.1; done
    # A busy machine draws late; keys wait for what the ones before opened.
    xdotool key --delay 120 $keys
    sleep 0.6
  fi
  import -window "$window" -strip "$out/$name.png"
  kill "$app"
  wait "$app" 2>/dev/null || true
  echo "$out/$name.png"
}

all() {
  for theme in dark light; do
    for fixture in first-run empty long streaming failed permission engines inspector korean; do
      echo "$fixture-$theme $fixture $theme 1280x800 100"
    done
    for fixture in project-plans project-findings project-skills profiles; do
      echo "$fixture-$theme $fixture $theme 1280x800 100"
    done
    echo "compare-$theme compare $theme 1280x800 100 ctrl+k c o m p a r e space t w o Return"
    for fixture in branch-compare branch-compare-diff branch-compare-streaming; do
      echo "$fixture-$theme $fixture $theme 1280x800 100"
    done
    echo "branch-compare-narrow-$theme branch-compare-narrow $theme 900x600 100"
    echo "small-project-$theme project-long $theme 900x600 100"
    echo "small-typing-$theme typing $theme 900x600 100"
    echo "palette-$theme chat $theme 1280x800 100 ctrl+k"
    echo "small-$theme permission $theme 900x600 100"
    echo "small-korean-$theme korean $theme 900x600 100"
    echo "scale-150-$theme chat $theme 1280x800 150"
  done
}

while read -r name rest; do
  if [ $# -gt 0 ] && ! printf '%s\n' "$@" | grep -qx "$name"; then continue; fi
  # shellcheck disable=SC2086
  shot "$name" $rest
done < <(all)
