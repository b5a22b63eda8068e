#!/usr/bin/env bash
# Finds tmux, which plays the terminal of the editor tests, or installs it by apt when run as root; prints its path.
# The last line on stderr of a failure is its reason.
set -euo pipefail
if ! command -v tmux >/dev/null; then
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || { echo "tmux is missing: install it" >&2; exit 1; }
  export DEBIAN_FRONTEND=noninteractive
  { apt-get -qq install -y --no-install-recommends tmux ||
    { apt-get -qq update && apt-get -qq install -y --no-install-recommends tmux; }; } >&2
fi
command -v tmux
