#!/usr/bin/env bash
# Checks the chart with helm: lint, the golden files in helm/golden, and the values that the chart must refuse.
#   helm/check.sh            compares
#   helm/check.sh --update   rewrites the golden files; review the differences before you commit them
# find-helm.sh says which helm is used.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
update=
[ "${1:-}" != --update ] || update=1

. ./find-helm.sh
find_helm
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The caller's own settings of helm must have no effect.
export HELM_CONFIG_HOME=$work/config HELM_CACHE_HOME=$work/cache HELM_DATA_HOME=$work/data
passed=0 failed=0

result() {
  if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $2"; fi
}

render() { "$helm" template trial godwit --namespace mqtt --kube-version 1.33.0 "$@" 2>&1; }

for case in cases/*.yaml; do
  name=$(basename "$case" .yaml)
  status=0
  "$helm" lint --strict --kube-version 1.33.0 godwit --values "$case" >"$work/out" 2>&1 || status=1
  [ "$status" = 0 ] || cat "$work/out"
  result "$status" "lint of $case"
  status=0
  render --values "$case" >"$work/$name.yaml" || { cat "$work/$name.yaml"; status=1; }
  # Messages of helm about symbolic links are of no use.
  sed -i '/found symbolic link in path/d' "$work/$name.yaml"
  if [ -n "$update" ] && [ "$status" = 0 ]; then
    cp "$work/$name.yaml" "golden/$name.yaml"
  fi
  [ "$status" != 0 ] || diff -u "golden/$name.yaml" "$work/$name.yaml" || status=1
  result "$status" "golden file of $case"
done

# The dashboard and the rules must be those of conf/metrics. Golden files with them would only be copies.
status=0
render --values cases/trial.yaml --set metrics.dashboard.enabled=true,metrics.rules.enabled=true >"$work/board.yaml" ||
  status=1
sed -n '/^  godwit.json: |$/,/^---$/p' "$work/board.yaml" | sed '1d;/^---$/d;s/^    //' >"$work/board.json"
diff -B "$work/board.json" ../conf/metrics/grafana.json >/dev/null || status=1
rules=$(grep -c 'alert:' ../conf/metrics/alerts.yml)
[ "$(grep -c '^ *\(- \)\{0,1\}alert:' "$work/board.yaml")" = "$rules" ] || status=1
result "$status" "board and rules of conf/metrics"

# A ClusterRole has no namespace: two releases whose names together read the same must not share one.
zone_role() {
  render --namespace "$1" --set auth.allowAll=true,cluster.tls.plain=true,cluster.zoneFromNode=true \
    --set "fullnameOverride=$2" | sed -n '/^kind: ClusterRole$/,/^  name: /s/^  name: //p'
}
one=$(zone_role ns-one broker || true) other=$(zone_role ns one-broker || true)
status=0
[ -n "$one" ] && [ -n "$other" ] && [ "$one" != "$other" ] || status=1
result "$status" "names of ClusterRoles: $one and $other"

# The Job may create Secrets only until its own exists: may_create SECRET_THAT_EXISTS prints 1 or 0.
may_create() {
  local server tries=0
  rm -f "$work/port"
  python3 stand-in.py "$1" "$work/port" &
  server=$!
  until [ -e "$work/port" ] || [ $((tries += 1)) -gt 100 ]; do sleep 0.1; done
  KUBECONFIG=/dev/null render --set auth.allowAll=true,cluster.tls.plain=true --dry-run=server \
    --kube-apiserver "http://127.0.0.1:$(cat "$work/port")" >"$work/looked-up.yaml" || cat "$work/looked-up.yaml" >&2
  kill "$server"
  grep -c '^ *verbs: \[create\]$' "$work/looked-up.yaml" || true
}
if command -v python3 >/dev/null; then
  status=0
  may="$(may_create another) $(may_create trial-godwit-cluster)"
  [ "$may" = "1 0" ] && grep -q '^kind: Job$' "$work/looked-up.yaml" || status=1
  result "$status" "rights to create Secrets, before and after the founding: $may"
else
  echo "check: without python3 nothing shows that the Job loses its right to create Secrets" >&2
fi

while IFS='|' read -r options words; do
  case $options in '#'* | '') continue ;; esac
  words=${words# }
  options=${options/#TRIAL/--set auth.allowAll=true,cluster.tls.plain=true}
  status=0
  set -f # brackets must not be expanded as patterns
  eval "set -- $options"
  set +f
  if said=$(render "$@"); then status=1; said="it was not refused"; fi
  case $said in *"$words"*) ;; *) status=1 ;; esac
  [ "$status" = 0 ] || printf '%s\n' "$said" | head -n 5
  result "$status" "refusal of $options"
done <cases/refused.txt

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
