#!/usr/bin/env bash
# Before the end of the container. A pod that does not come back hands its replicas over first; every other one only
# what it leads. What fails does not keep it from stopping.
set -u
. "${BASH_SOURCE[0]%/*}/lib.sh"

if [ "$(admin kubernetes leaving "$CHART_STATEFUL_SET" "$POD_NAME")" = leaving ]; then
  say "is scaled in, hands over what it has"
  : >"$scaled_in"
  self=$(admin --data "$data" --json members | field self)
  if [ -n "$self" ]; then
    admin --data "$data" drain "$self" --reduce --patience "$CHART_SCALE_IN_SECONDS" ||
      say "could not hand over everything: see godwit-admin ranges"
  fi
fi
exec "$home/bin/standalone.sh" stop --data "$data" --drain "$CHART_DRAIN_SECONDS"
