#!/usr/bin/env bash
# neovim-terminal.sh WORK TMUX NVIM: the whole way in Neovim's own screen with its own keys, without a plug-in: a task by code
# action on a dirty buffer, typing while it works, accept, reject, undo, save.
set -euo pipefail
WORK=$1 TMUX_PROGRAM=$2 nvim=$3
here=$(cd "$(dirname "$0")" && pwd)
source "$here/project.sh"
source "$here/terminal.sh"

cat >"$WORK/init.lua" <<LUA
vim.lsp.config('copydesk', { cmd = { '$server', '--stdio' }, root_markers = { '.git' } })
vim.lsp.enable('copydesk')
vim.diagnostic.config({ virtual_lines = { current_line = true } })
-- For the test's eyes only: the count of hunks, and the line of the cursor.
vim.api.nvim_create_autocmd('DiagnosticChanged', { callback = function() vim.cmd.redrawstatus() end })
vim.o.statusline = '%m hunks:%{len(luaeval("vim.diagnostic.get(0)"))} line:%l mode:%{mode()}'
LUA

hunks() { see "hunks:$1 "; }
cursor_in() { see "line:$1 "; }
normal() { keys Escape; see 'mode:n'; }
# choose TITLE: opens the code action menu and types the number beside the title.
choose() {
  write gra
  see "[0-9]+: $1"
  local number
  number=$(screen | grep -E "[0-9]+: $1" | head -n 1 | grep -oE '[0-9]+:' | head -n 1)
  write "${number%:}"
  keys Enter
}
save() { write ':silent w'; keys Enter; }

open_terminal "$nvim" -u "$WORK/init.lua" -i NONE -n "$file"
see 'fn load'
wait_for "$to_server" '"method":"textDocument\\?/didOpen"'

write Go
write "$unsaved"
normal
write ggO
write "$marker"
normal
cursor_in 1
choose 'Do: rename load to open in store.rs'
write Go
write "$meanwhile"
normal
hunks 3

write 2G
cursor_in 2
see '\+ fn open'
choose 'Accept hunk 1/3'
see '^.{0,3}fn open'
hunks 2
cmp "$file" "$WORK/expected/before" || fail "the file was written before it was saved"
cursor_in 6
choose 'Reject hunk 1/2'
hunks 1
cursor_in 9

write u
hunks 2
save
wait_equal "$file" "$WORK/expected/typed"

write 2G
cursor_in 2
choose 'Accept hunk 1/2'
hunks 1
cursor_in 9
save
wait_equal "$file" "$WORK/expected/accepted"

write ':qa!'
keys Enter
until_true 10 "Neovim quits" closed
check_untouched || fail "the task touched another file"
