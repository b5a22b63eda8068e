# What a person does in Neovim's own screen, sourced after project.sh and terminal.sh.

# For the test's eyes only: how many reports of the server there are, the line of the cursor, the mode.
cat >"$WORK/eyes.lua" <<'LUA'
vim.api.nvim_create_autocmd('DiagnosticChanged', { callback = function() vim.cmd.redrawstatus() end })
vim.o.statusline = '%t%m hunks:%{len(luaeval("vim.diagnostic.get(0)"))} line:%l mode:%{mode()}'
LUA
# Without a plug-in: what `copydesk setup nvim` prints first.
cat >"$WORK/plain.lua" <<LUA
vim.lsp.config('copydesk', { cmd = { '$server', '--stdio' }, root_markers = { '.git' } })
vim.lsp.enable('copydesk')
vim.diagnostic.config({ virtual_lines = { current_line = true } })
LUA

# open_neovim NVIM CONFIGURATION FILE…: until the server has the file.
open_neovim() {
  open_terminal "$1" -u "$2" --cmd "luafile $WORK/eyes.lua" -i NONE -n "${@:3}"
  wait_for "$to_server" '"method":"textDocument\\?/didOpen"'
}

hunks() { see "hunks:$1 "; }
cursor_in() { see "line:$1 "; }
normal() { keys Escape; see 'mode:n'; }
inserting() { see 'mode:i'; }

# take TITLE: types the number that stands beside the entry of the list.
take() {
  see "[0-9]+: $1"
  local number
  number=$(screen | grep -E "[0-9]+: $1" | head -n 1 | grep -oE '[0-9]+:' | head -n 1)
  write "${number%:}"
  keys Enter
}
# choose TITLE: takes an entry of the code action menu.
choose() { write gra; take "$1"; }

run() { write ":$1"; keys Enter; }
save() { run 'silent w'; }

quit_neovim() {
  run 'qa!'
  until_true 10 "Neovim quits" closed
}
