# A terminal that a test types into and reads, sourced after project.sh with TMUX_PROGRAM set: tmux, polled every 50 ms until a
# deadline.

unset TMUX
TMUX_TMPDIR=$(mktemp -d)
export TMUX_TMPDIR
undo+=('terminal kill-server 2>/dev/null' 'rm -rf "$TMUX_TMPDIR"')

terminal() { "$TMUX_PROGRAM" -u -f /dev/null -L copydesk "$@"; }

# open_terminal COMMAND…: 110 columns wide, unless `columns` says otherwise.
open_terminal() { terminal new-session -d -x "${columns:-110}" -y 30 "$@" \; set -g escape-time 0; }

keys() { terminal send-keys "$@"; }

# What is typed arrives letter by letter, as from a person. A semicolon at the end would be tmux's own.
write() { terminal send-keys -l -- "${1/%;/\\;}"; }

screen() { terminal capture-pane -p 2>/dev/null | sed 's/ *$//'; }

# until_true SECONDS WHAT COMMAND…
until_true() {
  local deadline=$((SECONDS + $1)) what=$2
  shift 2
  until "$@"; do
    [ $SECONDS -lt $deadline ] || fail "waited in vain: $what"
    sleep 0.05
  done
}

closed() { ! terminal has-session 2>/dev/null; }
shows() { screen | grep -qE -- "$1"; }
shows_not() { ! shows "$1"; }

see() { until_true "${2:-20}" "the screen shows /$1/" shows "$1"; }
see_no() { until_true "${2:-20}" "the screen shows no /$1/" shows_not "$1"; }

# wait_for FILE PATTERN: the traffic or log file has the pattern.
in_file() { grep -qE -- "$2" "$1" 2>/dev/null; }
wait_for() { until_true "${3:-20}" "$1 has /$2/" in_file "$1" "$2"; }

# The file on disk becomes equal to the other one.
wait_equal() {
  local deadline=$((SECONDS + 20))
  until cmp -s "$1" "$2"; do
    [ $SECONDS -lt $deadline ] || { diff "$1" "$2" || true; fail "$1 is not as expected"; }
    sleep 0.05
  done
}

fail() {
  echo "FAILED: $*"
  echo "--- screen"
  screen
  show_server
  exit 1
}
