#!/usr/bin/env bash
# After the start of the container: a pod that was scaled in and is wanted again may be given replicas again. A node
# that an operator drains stays drained.
set -u
. "${BASH_SOURCE[0]%/*}/lib.sh"

[ -e "$scaled_in" ] || exit 0
log_of_container
for _ in $(seq "${CHART_TRIES:-60}"); do
  self=$(admin --data "$data" --json members 2>/dev/null | field self)
  if [ -n "$self" ] && admin --data "$data" drain "$self" --cancel; then
    mv -f "$scaled_in" "$not_scaled_in" || rm -f "$scaled_in"
    exit 0
  fi
  sleep "${CHART_PAUSE:-5}"
done
# A failure would end the container.
say "the drain of this node was not ended: it is marked as draining, see godwit-admin members"
