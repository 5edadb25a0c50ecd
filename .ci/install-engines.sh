#!/usr/bin/env bash
# Puts the agent command lines that the tests drive into PREFIX/bin, each in one fixed version.
#
#   .ci/install-engines.sh PREFIX
#   TUNAFLOW_TEST_CLIS=PREFIX cargo test --test it
#
# No package's install script runs. The names in bin/ lead to the native programs (Gemini: to its bundle, which
# needs node 20 or later). What is there in the right version already stays. Linux and macOS.
set -euo pipefail

if [ $# -ne 1 ]; then
  echo "usage: $0 PREFIX" >&2
  exit 2
fi
command -v npm >/dev/null || { echo "$0: npm is missing" >&2; exit 3; }

mkdir -p "$1/bin"
prefix=$(cd "$1" && pwd)

case "$(uname -s)" in
  Linux) os=linux ;;
  Darwin) os=darwin ;;
  *) echo "$0: no engines for $(uname -s)" >&2; exit 3 ;;
esac
case "$(uname -m)" in
  x86_64 | amd64) arch=x64 cpu=x86_64 ;;
  aarch64 | arm64) arch=arm64 cpu=aarch64 ;;
  *) echo "$0: no engines for $(uname -m)" >&2; exit 3 ;;
esac
libc=
if [ "$os" = linux ] && ldd --version 2>&1 | grep -qi musl; then libc=-musl; fi
case "$os" in
  linux) triple=$cpu-unknown-linux-musl ;;
  darwin) triple=$cpu-apple-darwin ;;
esac
# OpenCode's ordinary build needs AVX2.
baseline=
if [ "$os-$arch" = linux-x64 ] && ! grep -qw avx2 /proc/cpuinfo; then baseline=-baseline; fi

installed_version() { # package folder
  sed -n 's/^ *"version": *"\([^"]*\)".*/\1/p' "$1/package.json" 2>/dev/null | head -n 1
}

engine() { # name, package, version, program below node_modules
  local folder=$prefix/$1 modules=$prefix/$1/node_modules
  if [ "$(installed_version "$modules/$2")" = "$3" ] && [ -x "$modules/$4" ]; then
    echo "$1 $3: already there"
  else
    mkdir -p "$folder"
    npm install --prefix "$folder" --ignore-scripts --no-audit --no-fund --no-save --loglevel=error "$2@$3"
    echo "$1 $3: installed"
  fi
  [ -x "$modules/$4" ] || { echo "$0: $2@$3 has no program $4" >&2; exit 4; }
  ln -sfn "$modules/$4" "$prefix/bin/$1"
}

engine claude @anthropic-ai/claude-code 2.1.332 "@anthropic-ai/claude-code-$os-$arch$libc/claude"
engine codex @openai/codex 0.171.0 "@openai/codex-$os-$arch/vendor/$triple/bin/codex"
engine gemini @google/gemini-cli 0.61.0 @google/gemini-cli/bundle/gemini.js
engine opencode opencode-ai 1.18.33 "opencode-$os-$arch$baseline$libc/bin/opencode"
