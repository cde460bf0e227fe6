#!/usr/bin/env bash
# Puts the API of plugins of a release into the sources, as plugin-api/released/plugin-api.jar. From then on mvn verify
# refuses a plugin-api that lacks what plugins of that release use. The jar is the one in the archive of the release.
#   release/keep-api.sh [DIRECTORY]    without DIRECTORY takes the archive in target/release
set -euo pipefail
[ $# -le 1 ] || { echo "usage: release/keep-api.sh [DIRECTORY]" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
directory=${1:-$here/target/release}
kept=$here/../plugin-api/released/plugin-api.jar

shopt -s nullglob
archives=("$directory"/godwit-[0-9]*.tar.gz)
[ ${#archives[@]} = 1 ] || { echo "keep-api: $directory must have one archive, has ${#archives[@]}" >&2; exit 1; }
version=${archives[0]##*/godwit-}
version=${version%.tar.gz}
case $version in
*-SNAPSHOT) echo "keep-api: $version is no release" >&2; exit 1 ;;
esac

new=$(mktemp)
trap 'rm -f "$new"' EXIT
tar -xzOf "${archives[0]}" "godwit-$version/lib/plugin-api-$version.jar" >"$new"
mkdir -p "${kept%/*}"
install -m 644 "$new" "$kept"
echo "plugin-api/released/plugin-api.jar is that of $version now: commit it"
