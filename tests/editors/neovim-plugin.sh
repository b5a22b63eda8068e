#!/usr/bin/env bash
# neovim-plugin.sh WORK NVIM: the whole way in Neovim with our plug-in, without a screen; see neovim-plugin.lua.
set -euo pipefail
WORK=$1 nvim=$2
here=$(cd "$(dirname "$0")" && pwd)
source "$here/project.sh"
export WORK
plugin=$here/../../editor-clients/neovim
# The plug-in looks for `copydesk` on the PATH.
export PATH=$WORK:$PATH
if "$nvim" --headless -u NONE -i NONE -n --cmd "set runtimepath+=$plugin | runtime plugin/copydesk.lua" -l "$here/neovim-plugin.lua" &&
  check_untouched; then exit; fi
show_server
exit 1
