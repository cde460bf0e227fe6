#!/usr/bin/env bash
# Builds the programs of helm/check-apiserver.sh with Go, as far as the cache directory lacks them.
#   helm/apiserver/build.sh DIR    builds into DIR/VERSION_OF_KUBERNETES, and prints that directory
#
# "go install MODULE@VERSION" refuses modules that replace others by directories beside them, which Kubernetes and etcd
# do. So this makes a module of its own for each, which has their modules at the same release instead.
set -euo pipefail
readonly kubernetes=${KUBERNETES_VERSION:-v1.37.2} etcd=v3.7.3 coredns=v1.15.0 kwok=v0.8.0 kubeconform=v0.8.0
readonly cache=$1 bin=$1/$kubernetes
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CGO_ENABLED=0 GOFLAGS="-mod=mod -buildvcs=false"

# compile NAME PACKAGE DIR [LDFLAG]: in the module in DIR, or nowhere if there is no need.
compile() {
  [ ! -x "$bin/$1" ] || return 0
  echo "check: building $1 with go, this once" >&2
  (cd "$work/$3" && go build -p "${GO_JOBS:-2}" -trimpath -ldflags "-s -w ${4:-}" -o "$work/$1.new" "$2")
  mkdir -p "$bin"
  mv "$work/$1.new" "$bin/$1"
}

# start_module DIR MODULE VERSION
start_module() {
  mkdir -p "$work/$1"
  (cd "$work/$1" && go mod init "check/$1" 2>/dev/null && go mod edit -require "$2@$3")
}

missing=
for each in etcd kube-apiserver kube-controller-manager kube-scheduler kwok kubeconform coredns; do
  [ -x "$bin/$each" ] || missing=$each
done
if [ -n "$missing" ]; then
  command -v go >/dev/null 2>&1 || { echo "check: needs go to build $missing" >&2; exit 2; }

  start_module kube k8s.io/kubernetes "$kubernetes"
  # The modules that are developed in the repository of Kubernetes have the release 0.X.Y for its release 1.X.Y.
  file=$(cd "$work/kube" && go mod download -json "k8s.io/kubernetes@$kubernetes" |
    sed -n 's/.*"GoMod": "\(.*\)".*/\1/p')
  sed -n "s#^[[:space:]]*\(k8s.io/[a-z-]*\) => ./staging/.*#replace \1 => \1 v0.${kubernetes#v1.}#p; /^godebug/p" \
      "$file" >>"$work/kube/go.mod"
  # Helm compares the release that the server tells with that of the chart.
  minor=${kubernetes#v1.}
  stamp=k8s.io/component-base/version
  stamp="-X $stamp.gitVersion=$kubernetes -X $stamp.gitMajor=1 -X $stamp.gitMinor=${minor%%.*}"
  for each in kube-apiserver kube-controller-manager kube-scheduler; do
    compile "$each" "k8s.io/kubernetes/cmd/$each" kube "$stamp"
  done

  start_module etcd go.etcd.io/etcd/server/v3 "$etcd"
  compile etcd go.etcd.io/etcd/server/v3 etcd

  start_module tools sigs.k8s.io/kwok "$kwok"
  (cd "$work/tools" && go mod edit -require "github.com/yannh/kubeconform@$kubeconform")
  compile kwok sigs.k8s.io/kwok/cmd/kwok tools
  compile kubeconform github.com/yannh/kubeconform/cmd/kubeconform tools

  # With all its plugins it would need the libraries of several clouds.
  start_module dns github.com/coredns/coredns "$coredns"
  cat >"$work/dns/main.go" <<'GO'
package main

import "github.com/coredns/coredns/coremain"
import _ "github.com/coredns/coredns/plugin/errors"
import _ "github.com/coredns/coredns/plugin/kubernetes"

func main() { coremain.Run() }
GO
  compile coredns . dns
fi
echo "$bin"
