# The scripts beside this file read it. find_helm sets "helm" to the program: what the variable HELM names, else helm on
# the PATH, else one that Go builds into ~/.cache/godwit-helm.
readonly helm_version=v3.22.0

find_helm() {
  local cache=${XDG_CACHE_HOME:-$HOME/.cache}/godwit-helm
  if [ -n "${HELM:-}" ]; then
    helm=$HELM
  elif command -v helm >/dev/null 2>&1; then
    helm=helm
  else
    helm=$cache/helm
    if [ ! -x "$helm" ]; then
      command -v go >/dev/null 2>&1 || { echo "check: needs helm, or go to build it" >&2; exit 2; }
      echo "check: building helm $helm_version with go, this once" >&2
      GOBIN=$cache go install "helm.sh/helm/v3/cmd/helm@$helm_version"
    fi
  fi
}
