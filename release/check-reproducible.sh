#!/usr/bin/env bash
# Builds the release twice, from two clean clones of the current commit, and compares the checksums of all files. Takes
# as long as two builds. All options are passed to Maven.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for build in first second; do
  git clone -q . "$work/$build"
  (cd "$work/$build" && mvn -B -ntp -q -Prelease -DskipTests verify "$@")
  cp "$work/$build/release/target/release/SHA256SUMS" "$work/$build.sums"
  # The two clones have different paths, so a path in a built file makes the comparison fail.
done
cat "$work/first.sums"
diff -u "$work/first.sums" "$work/second.sums"
echo "the same bytes twice: $(wc -l <"$work/first.sums") files"
