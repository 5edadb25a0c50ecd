#!/usr/bin/env bash
# window-copy.sh BINARY: what is copied of an adopted branch, from its card and from the sheet, as another program
# gets it from the clipboard: the words, Korean ones too, with their provenance line.
set -euo pipefail
binary=$(realpath "$1")
# shellcheck source=.ci/display.sh
. "$(dirname "$0")/display.sh"
start_display

mkdir -p "$home/project" "$home/data"
project=$(realpath "$home/project")
run() { (cd "$project" && "${clean[@]}" "$binary" --data-dir "$home/data" "$@"); }
number() { grep -o '"id":[0-9]*' | head -1 | cut -d: -f2; }

# A conversation with two branches: one adopted, one open with an answer of its own.
said='결론: 두 갈래 중 JWT. The CLI needs no browser.'
printf '{"text":"%s"}\n' "$said" >"$home/said.jsonl"
run send --engine "script:$home/said.jsonl" "JWT or OAuth2?" >/dev/null
parent=$(run conversations --json | number)
adopted=$(run branch add "$parent" --label "OAuth2 시험" --json | number)
own=$'**결정:** JWT, 이유는 둘입니다.\n\n1. CLI\n2. 만료 😀'
run branch adopt "$adopted" "$own" >/dev/null
open=$(run branch add "$parent" --label "Passkeys 나중에" --json | number)
run send --conversation "$open" "and passkeys?" >/dev/null
# The parent goes on: its card can only be opened and copied.
run send --conversation "$parent" "thanks" >/dev/null
cp -r "$home/data" "$home/prepared"

of_card=$own$'\n\n*Adopted from the branch "OAuth2 시험" (0 messages); written by you.*'
name="script:$home/said.jsonl"
of_sheet="$said"$'\n\n*Adopted from the branch "Passkeys 나중에" (2 messages, '"$name); written by $name.*"

# What is on screen, when it has stood still for a moment.
picture() { import -window root -silent rgb:- | md5sum; }
settle() {
  local before="" now same=0 deadline=$((SECONDS + 15))
  while [ "$same" -lt 5 ] && [ "$SECONDS" -lt "$deadline" ]; do
    now=$(picture)
    if [ "$now" = "$before" ]; then same=$((same + 1)); else same=0; fi
    before=$now
    sleep 0.1
  done
}
differs() { [ "$(picture)" != "$1" ]; }
# One stop further. Two keys in one frame would count as one, so the ring is waited for.
stop() {
  local before
  before=$(picture)
  xdotool key --clearmodifiers "$1"
  until_true 2 differs "$before" || true
}
press() { xdotool key --clearmodifiers "$@"; settle; }

# attempt STEPS…: in a fresh window over the prepared data, presses the keys; sets `got` to the clipboard.
attempt() {
  rm -rf "$home/data"
  cp -r "$home/prepared" "$home/data"
  start_window "$home/data" "$project"
  settle
  printf 'nothing yet' | xclip -selection clipboard -in
  "$@"
  got=$(timeout 5 xclip -selection clipboard -out -target UTF8_STRING 2>/dev/null || true)
  kill "$app" 2>/dev/null || true
  wait "$app" 2>/dev/null || true
}

# The place of a button in the order of keyboard stops changes with the design: where it was, then those around it.
copied() { # NAME EXPECTED COMMAND STOPS
  local stops off last=""
  for off in 0 1 -1 2 -2 3 -3 4 -4 5 -5 6; do
    stops=$(($4 + off))
    [ "$stops" -ge 1 ] || continue
    attempt "$3" "$stops"
    if [ "$got" = "$2" ]; then
      echo "clipboard: $1 copied, $stops keyboard stops away"
      return 0
    fi
    last=$got
    [ "${WINDOW_COPY_SHOTS:-}" = "" ] || echo "  $1, $stops: $(printf '%s' "$got" | head -c 200)"
  done
  echo "$1 was not copied. Expected:"; printf '%s\n' "$2"
  echo "The clipboard held last:"; printf '%s\n' "$last"
  return 1
}

card() {
  local at
  for at in $(seq "$1"); do stop shift+Tab; done
  settle
  press Return
}
sheet() {
  local at
  press ctrl+j
  xdotool type --delay 20 "/adopt"
  settle
  press Return
  # The close button, then the third of the four sources; the draft gets the keyboard when one is chosen.
  for at in 1 2 3 4; do stop Tab; done
  press Return
  [ -z "${WINDOW_COPY_SHOTS:-}" ] || import -window root "$WINDOW_COPY_SHOTS/sheet-$1.png"
  for at in $(seq "$1"); do stop Tab; done
  settle
  press Return
}
copied "the card" "$of_card" card 12
copied "the sheet" "$of_sheet" sheet 3
