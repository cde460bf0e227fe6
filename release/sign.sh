#!/usr/bin/env bash
# Signs the checksums of a release with a key of gpg, which may be on a smart card: SHA256SUMS.asc beside SHA256SUMS.
#   release/sign.sh KEY [DIRECTORY]    KEY as gpg's --local-user takes it; without DIRECTORY signs target/release
# Nothing is signed if a file of the release differs from its checksum or has none.
set -euo pipefail
[ $# = 1 ] || [ $# = 2 ] || { echo "usage: release/sign.sh KEY [DIRECTORY]" >&2; exit 2; }
key=$1
cd "${2:-$(dirname "${BASH_SOURCE[0]}")/target/release}"

sha256sum --check --strict --quiet SHA256SUMS
listed=$(sed 's/^[0-9a-f]*  //' SHA256SUMS | LC_ALL=C sort)
files=$(ls --hide=SHA256SUMS --hide=SHA256SUMS.asc | LC_ALL=C sort)
[ "$files" = "$listed" ] || { echo "sign: SHA256SUMS does not name exactly these files: $files" >&2; exit 1; }

rm -f SHA256SUMS.asc
gpg --local-user "$key" --armor --output SHA256SUMS.asc --detach-sign SHA256SUMS
gpg --verify SHA256SUMS.asc SHA256SUMS
