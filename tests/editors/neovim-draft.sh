#!/usr/bin/env bash
# neovim-draft.sh WORK TMUX NVIM: in Neovim without a plug-in, a task whose tests run on the draft; the user accepts all of it and saves.
set -euo pipefail
WORK=$1 TMUX_PROGRAM=$2 nvim=$3
here=$(cd "$(dirname "$0")" && pwd)
source "$here/project.sh"
source "$here/terminal.sh"
source "$here/model.sh"
source "$here/neovim_terminal_steps.sh"
source "$here/draft.sh"

start_draft
open_neovim "$nvim" "$WORK/plain.lua" "$sum"
see 'set -u'
write Go
write "$typed"
normal
write ggO
write '# copydesk: mend the sum'
normal
cursor_in 1
choose 'Do: mend the sum'
check_draft

run "lua vim.lsp.get_clients({ name = 'copydesk' })[1]:exec_cmd({ title = '', command = 'copydesk.accept-all' })"
see '\$1 \+ \$2'
until_true 20 "every change is in the editor" all_taken
run 'silent wa'
check_accepted
quit_neovim
