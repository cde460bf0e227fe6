#!/usr/bin/env bash
# Before the end of the container. A pod that does not come back hands its replicas over first; every other one only
# what it leads. What fails does not keep it from stopping.
set -u
. "${BASH_SOURCE[0]%/*}/lib.sh"
log_of_container

# Asks until there is an answer, a few times: one that is lost would leave the replicas of this pod behind.
ask() {
  local answer
  for _ in $(seq "${CHART_ASKS:-3}"); do
    answer=$("$@")
    [ -z "$answer" ] || break
    sleep "${CHART_PAUSE:-5}"
  done
  printf '%s' "$answer"
}
leaving() { admin kubernetes leaving "$CHART_STATEFUL_SET" "$POD_NAME"; }
self() { admin --data "$data" --json members | field self; }

# Hands over what the node $1 has. Tries again after a failure, while there is time: a pod that stops too early takes
# away the votes of its replicas, and other pods may be scaled in at the same time.
hand_over() {
  local left=$CHART_SCALE_IN_SECONDS since=$SECONDS
  until admin --data "$data" drain "$1" --reduce --patience "$left"; do
    case $? in 2 | 4) return 1 ;; esac # it is refused, and will be again
    left=$((CHART_SCALE_IN_SECONDS - (SECONDS - since)))
    [ "$left" -gt 0 ] || return 1
    sleep "${CHART_PAUSE:-5}"
  done
}

# started.sh ends the drain only if this file exists.
note_scale_in() {
  [ -e "$scaled_in" ] || mv -f "$not_scaled_in" "$scaled_in" 2>/dev/null || { : >"$scaled_in"; } 2>/dev/null
}

if [ "$(ask leaving)" = leaving ]; then
  say "is scaled in, hands over what it has"
  note_scale_in
  self=$(ask self)
  if [ -z "$self" ]; then
    say "does not answer, hands over nothing: what it has stays on its volume"
  else
    hand_over "$self" || say "could not hand over everything: see godwit-admin ranges"
    # A second try: on a full disk, the replicas that were handed over have left room.
    note_scale_in ||
      say "the disk is full: if this pod is wanted again, end its drain: godwit-admin drain $self --cancel"
  fi
fi
exec "$home/bin/standalone.sh" stop --data "$data" --drain "$CHART_DRAIN_SECONDS"
