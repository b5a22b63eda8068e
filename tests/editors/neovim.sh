#!/usr/bin/env bash
# neovim.sh WORK NVIM: the whole way in Neovim without a plug-in and without a screen; see neovim.lua.
set -euo pipefail
WORK=$1 nvim=$2
here=$(cd "$(dirname "$0")" && pwd)
source "$here/project.sh"
export WORK
if "$nvim" --headless -u NONE -i NONE -n -l "$here/neovim.lua" && check_untouched; then exit; fi
show_server
exit 1
