#!/usr/bin/env bash
# neovim-questions.sh WORK TMUX NVIM: in Neovim without a plug-in, questions that come while somebody types: no key answers them,
# none is lost, and the menu does.
set -euo pipefail
WORK=$1 TMUX_PROGRAM=$2 nvim=$3
here=$(cd "$(dirname "$0")" && pwd)
source "$here/project.sh"
source "$here/terminal.sh"
source "$here/model.sh"
source "$here/neovim_terminal_steps.sh"
source "$here/questions.sh"

start_questions
# Elsewhere "always" counts only once the folder is trusted.
printf '\n[permissions]\ntrusted_folders = ["%s"]\n' "$project" >>"$XDG_CONFIG_HOME/copydesk/config.toml"
open_neovim "$nvim" "$WORK/plain.lua" "$file"
see 'fn load'
# Where a longer message would wait for a key.
columns=80
comes() { see "Answer by code action: Run .sh check.sh $1"; }

write ggO
write '// copydesk: check it'
normal
cursor_in 1
choose 'Do: check it'
until_true 20 "the task runs" asked 1

# In the middle of a line.
write Go
write "$before"
inserting
let_go one
comes one
type_on
normal
unanswered 1
choose 'Allow once: Run'
answered 2 '"is_error":false,"text":"checked one'

# Keys that count and confirm move the cursor: the message waits for none. Nobody answers, so it is drawn over the file.
cursor_in 12
let_go two
comes two
write 2
keys k
cursor_in 10
keys Enter
cursor_in 11
see_no 'Press ENTER'
hunks 1
unanswered 2
choose 'Deny: Run'
answered 3 '"is_error":true.*rejected this call'

# "Always" keeps the rule that is shown.
let_go three
comes three
choose 'Always allow Bash\(sh check.sh three\)'
answered 4 '"is_error":false,"text":"checked three'
grep -qF '"Bash(sh check.sh three)"' "$project/.claude/settings.local.json" || fail "the rule was not saved"

# A reason is written in the chat: the message takes the place of the command.
let_go four
comes four
choose 'Deny, and say why…: Run'
see 'chat.md'
write Go
write 'use three'
normal
choose 'Send'
answered 5 'use three'
run 'buffer store.rs'

comes_choice() { see 'Answer by code action: Way'; }
comes_choice
choose 'Right: Way'
answered 6 "answer: Right"
end_model

save
check_typed $'// copydesk: check it\n' "$typed"
quit_neovim
