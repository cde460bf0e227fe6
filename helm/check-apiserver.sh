#!/usr/bin/env bash
# Checks the chart on a real API server of Kubernetes with its controllers and its scheduler.
#   helm/check-apiserver.sh [--dist DIR] [--keep] [schemas] [objects] [brokers]
#
#   schemas   what the chart renders fits the schemas that this API server publishes (kubeconform)
#   objects   install, scale, upgrade, evict, uninstall, with kwok in place of kubelets: nothing is started
#   brokers   the same with brokers: each pod is a process with what its specification says
# Without a name, all of them, one after the other.
#
#   --dist DIR   the unpacked distribution (default: that of "mvn package")
#   --keep       keeps the directory with the logs, and prints its name
#
# Needs Linux, root, Go, Python 3, openssl, curl, and mosquitto_pub and mosquitto_sub for "brokers". Go builds the
# servers once, into the directory that the variable APISERVER_CACHE names (default ~/.cache/godwit-apiserver).
# KUBERNETES_VERSION selects another release: the modules of Kubernetes must have it.
set -euo pipefail
start=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")"

die() { echo "check: $*" >&2; exit 2; }

dist= keep= parts=()
while [ $# -gt 0 ]; do
  case $1 in
    --dist) dist=${2:?--dist needs a directory}; shift ;;
    --keep) keep=1 ;;
    schemas | objects | brokers) parts+=("$1") ;;
    *) die "unknown: $1" ;;
  esac
  shift
done
case $dist in '' | /*) ;; *) dist=$start/$dist ;; esac
[ ${#parts[@]} -gt 0 ] || parts=(schemas objects brokers)
wants() { [[ " ${parts[*]} " == *" $1 "* ]]; }

[ "$EUID" = 0 ] || die "needs root, for namespaces"
for each in unshare nsenter ip openssl curl python3; do
  command -v "$each" >/dev/null 2>&1 || die "needs $each"
done
if wants brokers; then
  for each in mosquitto_pub mosquitto_sub java setpriv stdbuf; do
    command -v "$each" >/dev/null 2>&1 || die "needs $each"
  done
  dist=$(readlink -f "${dist:-$(ls -d ../broker-dist/target/godwit-*/ 2>/dev/null | head -n 1)}")
  [ -x "$dist/bin/standalone.sh" ] || die "run \"mvn package\" first, or name a distribution with --dist"
fi

if [ -z "${CHECK_INSIDE:-}" ]; then
  . ./find-helm.sh
  find_helm
  bin=$(bash apiserver/build.sh "${APISERVER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/godwit-apiserver}")
  # In namespaces of its own: free ports, nobody else reaches the servers, and they end with this script.
  CHECK_INSIDE=1 CHECK_HELM=$(command -v "$helm") CHECK_BIN=$bin \
    exec unshare --net --mount --pid --uts --fork --kill-child --mount-proc "$BASH" ./check-apiserver.sh \
    ${dist:+--dist "$dist"} ${keep:+--keep} "${parts[@]}"
fi

bin=$CHECK_BIN
work=$(mktemp -d)
end() {
  kill -KILL ${servers[@]+"${servers[@]}"} 2>/dev/null || true
  if [ -n "$keep" ]; then echo "check: logs are in $work"; else rm -rf "$work"; fi
}
trap end EXIT
# Process 1 of the namespace ends by no signal that it does not ask for.
trap 'exit 130' INT TERM
# The temporary directory of a few machines lets only its owner in; users of containers must get through.
chmod 755 "$work"
mount -t tmpfs tmpfs /run
. apiserver/servers.sh
export CHECK_WORK=$work CHECK_KUBERNETES=$kubernetes_address CHECK_DNS=$dns_address CHECK_BRIDGE=$bridge_address
export CHECK_DISTRIBUTION=$dist PYTHONDONTWRITEBYTECODE=1
status=0

echo "check: starts the servers"
start_servers

check_schemas() {
  local case each release
  release=$(api /version | sed -n 's/.*"gitVersion": "\(.*\)".*/\1/p')
  python3 apiserver/schemas.py "$work/schemas" || return 1
  mkdir -p "$work/rendered"
  for case in cases/*.yaml; do
    each=$(basename "$case")
    "$CHECK_HELM" template trial godwit --namespace mqtt --kube-version "$release" --values "$case" \
      --set metrics.rules.enabled=true,metrics.dashboard.enabled=true >"$work/rendered/$each" 2>/dev/null || return 1
  done
  conform -summary "$work"/rendered/*.yaml || return 1
  # The check sees a mistake.
  sed 's/^  serviceName:/  serviceNam:/' "$work/rendered/trial.yaml" >"$work/misspelled.yaml"
  if conform "$work/misspelled.yaml" >"$work/said"; then
    echo "FAILED: a misspelled field is accepted"
    return 1
  fi
  grep -q serviceNam "$work/said" || { cat "$work/said"; return 1; }
}
# "{{ }}" is a template of kubeconform. It is not to look for schemas elsewhere.
conform() {
  "$bin/kubeconform" -strict -schema-location "$work/schemas/{{ .ResourceKind }}{{ .KindSuffix }}.json" "$@"
}

if wants objects; then python3 apiserver/objects.py || status=1; fi
if wants schemas; then
  # The kinds of other operators, such as PodMonitor, are there once the objects were checked.
  wants objects || python3 apiserver/objects.py kinds || status=1
  check_schemas || status=1
fi
if wants brokers; then python3 apiserver/brokers.py || status=1; fi
exit "$status"
