#!/usr/bin/env bash
# Builds the release twice, from two clean copies of the commit that is checked out, and compares all bytes. Takes as
# long as two builds. Options go to Maven.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for build in first second; do
  git clone -q . "$work/$build"
  (cd "$work/$build" && mvn -B -ntp -q -Prelease -DskipTests verify "$@")
  cp "$work/$build/release/target/release/SHA256SUMS" "$work/$build.sums"
  # The second one lies elsewhere: no path may get into what is built.
done
cat "$work/first.sums"
diff -u "$work/first.sums" "$work/second.sums"
echo "the same bytes twice: $(wc -l <"$work/first.sums") files"
