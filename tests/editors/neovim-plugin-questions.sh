#!/usr/bin/env bash
# neovim-plugin-questions.sh WORK TMUX NVIM: in Neovim with our plug-in, questions that come while somebody types: no key answers
# them, none is lost, and `:Copydesk answer` does.
set -euo pipefail
WORK=$1 TMUX_PROGRAM=$2 nvim=$3
here=$(cd "$(dirname "$0")" && pwd)
source "$here/project.sh"
source "$here/terminal.sh"
source "$here/model.sh"
source "$here/neovim_terminal_steps.sh"
source "$here/questions.sh"

# The plug-in looks for `copydesk` on the PATH.
export PATH=$WORK:$PATH
echo "vim.opt.runtimepath:append('$here/../../editor-clients/neovim')" >"$WORK/plugin.lua"

commands='one two three four five'
start_questions
# Where every message here is longer than the line.
columns=80
open_neovim "$nvim" "$WORK/plugin.lua" "$file"
see 'fn load'

# A message of the server waits for no key, however long it is: `j` goes down, and is no key of a prompt.
shown="require('copydesk').client().config.handlers['window/showMessage']"
for length in 10 90 900; do
  write gg
  cursor_in 1
  run "lua $shown(nil, { type = 2, message = ('long '):rep($length) .. '\\nand its end' })"
  see '^long long'
  keys j
  cursor_in 2
  see_no 'Press ENTER'
done
write gg
comes() { see "Copydesk waits for you: .*check.sh $1"; }
answer() { run 'Copydesk answer'; take "$1"; }

run 'Copydesk ask check it'
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
answer 'Allow once'
answered 2 '"is_error":false,"text":"checked one'

# Keys that count and confirm move the cursor.
let_go two
comes two
write 1
keys Enter
unanswered 2
answer 'Deny$'
answered 3 '"is_error":true.*rejected this call'

let_go three
comes three
answer 'Allow Bash\(sh check.sh three\) in this session'
answered 4 '"is_error":false,"text":"checked three'

# A reason goes with the denial.
let_go four
comes four
answer 'Deny, and say why'
see 'Run .sh check.sh four.:'
write 'use three'
keys Enter
answered 5 '"is_error":true.*They say: use three'

# Another command in the place of the one that was asked about.
let_go five
comes five
answer 'Edit and allow once'
see 'Run this instead, once: sh check.sh five'
keys C-u
write 'sh check.sh instead'
keys Enter
answered 6 '"is_error":false.*What ran: .*sh check.sh instead.*checked instead'

see 'waits for you: .*Which way'
answer 'Right'
answered 7 "answer: Right"
see_no 'waits for you'
end_model

save
check_typed '' "$typed"
[ ! -e "$project/.claude" ] || fail "what holds for the session was saved"
quit_neovim
