#!/usr/bin/env bash
# neovim-terminal.sh WORK TMUX NVIM: the whole way in Neovim's own screen with its own keys, without a plug-in: a task by code
# action on a dirty buffer, typing while it works, accept, reject, undo, save.
set -euo pipefail
WORK=$1 TMUX_PROGRAM=$2 nvim=$3
here=$(cd "$(dirname "$0")" && pwd)
source "$here/project.sh"
source "$here/terminal.sh"
source "$here/neovim_terminal_steps.sh"

open_neovim "$nvim" "$WORK/plain.lua" "$file"
see 'fn load'

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

quit_neovim
check_untouched || fail "the task touched another file"
