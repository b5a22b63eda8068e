#!/usr/bin/env bash
# helix.sh WORK TMUX HX: the whole way in Helix, without any plug-in: a task by code action on a dirty buffer, typing while it
# works, accept, reject, undo, save.
set -euo pipefail
WORK=$1 TMUX_PROGRAM=$2 hx=$3
here=$(cd "$(dirname "$0")" && pwd)
source "$here/project.sh"
source "$here/terminal.sh"

mkdir -p "$XDG_CONFIG_HOME/helix"
cat >"$XDG_CONFIG_HOME/helix/config.toml" <<'TOML'
[editor]
auto-format = false
auto-pairs = false
[editor.lsp]
display-progress-messages = true
TOML
cat >"$XDG_CONFIG_HOME/helix/languages.toml" <<TOML
[language-server.copydesk]
command = "$server"
[[language]]
name = "rust"
language-servers = ["copydesk"]
TOML

# The status line counts the pending hunks, and says where the cursor is.
pending() { see "● $1 "; }
cursor_in() { see " $1:[0-9]+\$"; }
# The chosen entry of a menu is drawn in reverse.
chosen() { terminal capture-pane -p -e | grep -qP "\x1b\[7m(\x1b\[[0-9;]*m)* *$1"; }
# An Escape with a key right behind it would be one key with Alt.
normal() { keys Escape; see ' NOR '; }
# choose PATTERN: opens the code action menu and walks down to the entry.
choose() {
  keys Space a
  see "$1"
  local rows
  for rows in {1..12}; do
    if chosen "$1"; then keys Enter; return; fi
    keys C-n
    sleep 0.05
  done
  fail "no entry /$1/ in the menu"
}
save() { write ':w'; keys Enter; see ' written'; }

open_terminal "$hx" -v "$file"
see 'fn load'
wait_for "$to_server" '"method":"initialized"'
wait_for "$to_server" '"method":"textDocument/didOpen"'

# Lines that are in no file, then the task, then more typing while it works.
keys g e o
write "$unsaved"
normal
keys g g O
write "$marker"
normal
see '\[\+\]'
choose 'Do: rename load to open'
keys g e o
write "$meanwhile"
normal
pending 3

# Accepting goes on to the next hunk; the disk knows nothing of it.
keys 2 G
choose 'Accept hunk 1/3'
see 'fn open'
cmp "$file" "$WORK/expected/before" || fail "the file was written before it was saved"
cursor_in 6
pending 2
choose 'Reject hunk 1/2'
pending 1
cursor_in 9

# One undo takes the accepted hunk back, and puts it on the table again.
keys u
see 'fn load'
pending 2
save
wait_equal "$file" "$WORK/expected/typed"

keys 2 G
choose 'Accept hunk 1/2'
see 'fn open'
pending 1
# Only when it has gone on: the newest Helix closes a command line when a document is shown.
cursor_in 9
save
wait_equal "$file" "$WORK/expected/accepted"

write ':q!'
keys Enter
until_true 10 "Helix quits" closed
check_untouched || fail "the task touched another file"
