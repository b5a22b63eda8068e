#!/usr/bin/env bash
# helix.sh WORK TMUX HX: the whole way in Helix, without any plug-in: a task by code action on a dirty buffer, typing while it
# works, accept, reject, undo, save.
set -euo pipefail
WORK=$1 TMUX_PROGRAM=$2 hx=$3
here=$(cd "$(dirname "$0")" && pwd)
source "$here/project.sh"
source "$here/terminal.sh"
source "$here/helix_steps.sh"

open_helix "$hx" "$file"
see 'fn load'

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

quit_helix
check_untouched || fail "the task touched another file"
