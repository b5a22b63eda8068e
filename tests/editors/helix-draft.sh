#!/usr/bin/env bash
# helix-draft.sh WORK TMUX HX: in Helix, a task whose tests run on the draft; the user accepts all of it and saves.
set -euo pipefail
WORK=$1 TMUX_PROGRAM=$2 hx=$3
here=$(cd "$(dirname "$0")" && pwd)
source "$here/project.sh"
source "$here/terminal.sh"
source "$here/model.sh"
source "$here/helix_steps.sh"
source "$here/draft.sh"

start_draft
open_helix "$hx" "$sum" "$project/twice.sh"
see 'set -u'
keys g e o
write "$typed"
normal
keys g g O
write '# copydesk: mend the sum'
normal
choose 'Do: mend the sum'
check_draft
see 'set -u'

run 'lsp-workspace-command copydesk.accept-all'
see '\$1 \+ \$2'
until_true 20 "every change is in the editor" all_taken
run wa
check_accepted
quit_helix
