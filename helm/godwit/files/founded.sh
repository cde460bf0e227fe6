#!/usr/bin/env bash
# The Job that notes which cluster was founded. It asks the first pod, since no other one founds.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/lib.sh"

tls=()
[ -z "${CHART_TLS:-}" ] ||
  tls=(--tls-cert "$CHART_TLS/tls.crt" --tls-key "$CHART_TLS/tls.key" --tls-ca "$CHART_TLS/ca.crt")
while :; do
  id=$(admin --rpc "$CHART_FIRST_POD" ${tls[@]+"${tls[@]}"} --json members | field clusterId) || true
  [ -z "$id" ] || break
  say "waits for the cluster to be founded"
  sleep "${CHART_PAUSE:-5}"
done
exec "$home/bin/godwit-admin" kubernetes note-cluster "$id" --secret "$CHART_SECRET"
