#!/usr/bin/env bash
# Finds the Chromium that shows VS Code, or installs Debian's by apt when run as root; prints its path.
# CHROMIUM names another one. The last line on stderr of a failure is its reason.
set -euo pipefail
for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome; do
  [ -n "$name" ] && command -v "$name" && exit 0
done
[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || { echo "no Chromium: install it, or set CHROMIUM" >&2; exit 1; }
export DEBIAN_FRONTEND=noninteractive
{ apt-get -qq install -y --no-install-recommends chromium ||
  { apt-get -qq update && apt-get -qq install -y --no-install-recommends chromium; }; } >&2
command -v chromium
