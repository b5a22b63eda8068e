#!/usr/bin/env bash
# helix-questions.sh WORK TMUX HX: in Helix, questions that come while somebody types: no key answers them, none is lost, and the
# menu, or the newest Helix's own list, does.
set -euo pipefail
WORK=$1 TMUX_PROGRAM=$2 hx=$3
here=$(cd "$(dirname "$0")" && pwd)
source "$here/project.sh"
source "$here/terminal.sh"
source "$here/model.sh"
source "$here/helix_steps.sh"
source "$here/questions.sh"

start_questions
open_helix "$hx" "$file"
see 'fn load'
# 25.01 has messages only.
if grep -q '"showMessage"' "$to_server"; then has_list=true; else has_list=false; fi
# comes WORDS: the question is on the screen. The list opens when nobody has typed for two seconds.
comes() {
  if $has_list; then see 'Decide later'; else see "Copydesk waits for you: Run .sh check.sh $1"; fi
  see "check.sh $1"
}

keys g g O
write '// copydesk: check it'
normal
choose 'Do: check it'
until_true 20 "the task runs" asked 1

# In the middle of a line.
keys g e o
inserting
write "$before"
let_go one
comes one
type_on
see 'let y = 2;'
normal
unanswered 1
if ! $has_list; then
  # Nobody answers, so it is drawn over the file.
  see 'Answer with a code action: Allow once'
fi
choose 'Allow once: Run'
answered 2 '"is_error":false,"text":"checked one'

# An Enter that comes just then takes the first entry of the list, which decides nothing.
keys A
inserting
let_go two
comes two
keys Enter
see_no 'Decide later'
write '// more'
normal
unanswered 2
choose 'Deny: Run'
answered 3 '"is_error":true.*rejected this call'

let_go three
comes three
unanswered 3
if $has_list; then take 'Allow once'; else choose 'Allow once: Run'; fi
answered 4 '"is_error":false,"text":"checked three'

if $has_list; then
  # Nor does it allow anything to go down a line and begin one.
  keys i
  inserting
  let_go four
  comes four
  keys Down
  keys Enter
  answered 5 '"is_error":true.*rejected this call'
else
  # A reason is written in the chat: the message takes the place of the command.
  let_go four
  comes four
  choose 'Deny, and say why.*: Run'
  see 'chat.md'
  keys g e o
  inserting
  write 'use three'
  normal
  choose 'Send'
  answered 5 'use three'
fi

if $has_list; then
  see 'Which way'
  take 'Right'
  normal
else
  choose 'Right: Way'
fi
answered 6 "answer: Right"
end_model
see_no 'Decide later'

run "open $file"
see ' store.rs'
save
if $has_list; then end="$typed// more"; else end="$typed"$'\n// more'; fi
check_typed $'// copydesk: check it\n' "$end"
quit_helix
