#!/usr/bin/env bash
# Shows that the build compares plugin-api with its last release. It must refuse an API that lacks a method which the
# release has, and a new method that old plugins do not implement; it must accept a new method with a default. The
# comparison is that of plugin-api/pom.xml, in a clone of the current commit, with a release that is made up for this.
# Takes a minute or two. All options are passed to Maven, such as -o.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone -q . "$work/clone"
cd "$work/clone"
readonly released=plugin-api/released/plugin-api.jar
readonly interface=plugin-api/src/main/java/io/godwit/plugin/sub/SubBroker.java

# Builds the API with further methods in an interface.
build() {
  git checkout -q -- "$interface"
  local method
  for method in "${methods[@]}"; do
    sed -i "\$i $method" "$interface" # before the last line, which ends the interface
  done
  rm -rf plugin-api/target
  mvn -B -ntp -q -Dquick -Dmaven.test.skip=true -pl plugin-api verify "${options[@]}" >"$work/said" 2>&1
}

fail() {
  cat "$work/said"
  echo "check-api: $*" >&2
  exit 1
}

# Builds an API that is to be refused, and looks for the change in the message.
must_refuse() {
  local change=$1
  ! build || fail "the build accepts $change"
  grep -qF "$change" "$work/said" || fail "the build fails for another reason than $change"
  echo "refused: $change"
}

options=("$@")
methods=('default void ofTheRelease() {}')
rm -rf "${released%/*}"
build || fail "plugin-api cannot be built"
mkdir "${released%/*}"
cp plugin-api/target/quick/plugin-api-*.jar "$released"

build || fail "the build refuses the API of the release itself"
echo "accepted: no change"
methods=()
must_refuse 'ofTheRelease():METHOD_REMOVED'
methods=('default void ofTheRelease() {}' 'void added();')
must_refuse 'added():METHOD_ADDED_TO_INTERFACE'
methods=('default void ofTheRelease() {}' 'default void added() {}')
build || fail "the build refuses a new method with a default"
echo "accepted: a new method with a default"
