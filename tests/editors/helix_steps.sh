# What a person does in Helix, sourced after project.sh and terminal.sh.

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
[[language]]
name = "markdown"
language-servers = ["copydesk"]
[[language]]
name = "bash"
language-servers = ["copydesk"]
TOML

# open_helix HX FILE…: until the server has the file.
open_helix() {
  open_terminal "$1" -v "${@:2}"
  wait_for "$to_server" '"method":"initialized"'
  wait_for "$to_server" '"method":"textDocument/didOpen"'
}

# The status line counts the pending hunks, and says where the cursor is.
pending() { see "● $1 "; }
cursor_in() { see " $1:[0-9]+\$"; }
# An Escape with a key right behind it would be one key with Alt.
normal() { keys Escape; see ' NOR '; }
inserting() { see ' INS '; }

# The chosen entry of a menu is drawn in reverse.
chosen() { terminal capture-pane -p -e | grep -qP "\x1b\[7m(\x1b\[[0-9;]*m)* *$1"; }
# take PATTERN: walks down in the menu that is open, to the entry, and takes it.
take() {
  see "$1"
  local rows
  for rows in {1..14}; do
    if chosen "$1"; then keys Enter; return; fi
    keys C-n
    sleep 0.05
  done
  fail "no entry /$1/ in the menu"
}
# choose PATTERN: takes an entry of the code action menu.
choose() { keys Space a; take "$1"; }

run() { write ":$1"; keys Enter; }
# The mark of an unsaved file goes; the message that says so may be covered by the server's next one.
save() { run w; see_no '\[\+\]'; }

quit_helix() {
  run 'qa!'
  until_true 10 "Helix quits" closed
}
