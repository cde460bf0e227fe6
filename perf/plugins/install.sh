#!/usr/bin/env bash
# Puts plugins that see each publish into a distribution, as plugins/cost.jar, with a configuration that uses them,
# conf/cost.yml. docs/perf.md has the commands that measure what they cost.
#   perf/plugins/install.sh DISTRIBUTION
set -euo pipefail
[ $# = 1 ] || { echo "usage: perf/plugins/install.sh DISTRIBUTION" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
distribution=$(cd "$1" && pwd)
jdk=${JAVA_HOME:+$JAVA_HOME/bin/}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

api=("$distribution"/lib/plugin-api-*.jar)
"${jdk}javac" --release 17 -cp "${api[0]}" -d "$work" "$here"/src/org/example/cost/*.java
cp -r "$here/META-INF" "$work"
mkdir -p "$distribution/plugins"
"${jdk}jar" --create --file "$distribution/plugins/cost.jar" -C "$work" .
cp "$here/cost.yml" "$distribution/conf/cost.yml"
