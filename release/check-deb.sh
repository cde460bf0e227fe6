#!/usr/bin/env bash
# Tests the Debian package of release/target/release with dpkg, in a directory instead of a real system: installs it,
# runs its broker, upgrades and removes it. Users and systemd are not tested. Needs dpkg, Java, and root or fakeroot.
# The broker listens on free ports of the loopback interface.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
[ "$(id -u)" = 0 ] || exec fakeroot "./${0##*/}" "$@"

deb=$(ls target/release/godwit_*_all.deb)
work=$(mktemp -d)
root=$work/root
passed=0
trap '[ ! -x "$root/opt/godwit/bin/standalone.sh" ] || "$root/opt/godwit/bin/standalone.sh" stop; rm -rf "$work"' EXIT

check() {
  if ! "${@:2}"; then
    echo "FAILED: $1" >&2
    exit 1
  fi
  passed=$((passed + 1))
}
is() { [ "$1" = "$2" ] || { echo "is: $1, expected: $2" >&2; return 1; }; }
package() {
  dpkg --root="$root" --force-script-chrootless --force-not-root --force-depends --log="$work/dpkg.log" "$@" \
    >"$work/out" 2>&1 || { cat "$work/out"; return 1; }
}
mode() { stat -c %a "$root/$1"; }
state() { dpkg-query --admindir="$root/var/lib/dpkg" -W -f '${db:Status-Abbrev}${Version}' godwit 2>/dev/null; }

mkdir -p "$root"/var/lib/dpkg/{info,updates,triggers}
touch "$root"/var/lib/dpkg/{status,available}

# Check the content of the package.
dpkg-deb --info "$deb" >"$work/info"
dpkg-deb --contents "$deb" >"$work/contents"
check "conffiles" is "$(dpkg-deb --info "$deb" conffiles | sort | tr '\n' ' ')" \
  "/etc/default/godwit /etc/godwit/acl /etc/godwit/logback.xml /etc/godwit/metrics/alerts.yml $(
    )/etc/godwit/metrics/grafana.json /etc/godwit/metrics/prometheus.yml /etc/godwit/standalone.yml "
check "all is root's" is "$(awk '{ print $2 }' "$work/contents" | sort -u)" root/root
check "nobody else may write" is "$(awk '$1 !~ /^l/ && substr($1, 6, 1) substr($1, 9, 1) ~ /w/' "$work/contents")" ""
check "no file twice" is "$(awk '{ print $6 }' "$work/contents" | sort | uniq -d)" ""
check "checksums" is "$(dpkg-deb --control "$deb" "$work/control" && wc -l <"$work/control/md5sums")" \
  "$(grep -c '^-' "$work/contents")"

# Install.
check "install" package --install "$deb"
check "state" is "$(state | cut -c 1-2)" ii
for directory in lib log cache; do
  check "/var/$directory/godwit is the user's alone" is "$(mode "var/$directory/godwit")" 700
done
check "passwd" is "$(mode etc/godwit/passwd)" 640
check "variables may be passwords" is "$(mode etc/default/godwit)" 640
check "unit" test -f "$root/lib/systemd/system/godwit.service"
if command -v systemd-analyze >/dev/null; then
  sed "s,/opt/godwit,$root/opt/godwit," "$root/lib/systemd/system/godwit.service" >"$work/godwit.service"
  check "systemd-analyze verify" is "$(systemd-analyze verify --man=no "$work/godwit.service" 2>&1)" ""
fi

# Run the installed broker, by the links of the package.
broker=$root/opt/godwit/bin/standalone.sh
export GODWIT_MQTT_SERVER_CONFIG_TCP_LISTENER_PORT=0 GODWIT_API_SERVER_CONFIG_PORT=0 JVM_HEAP_OPTS=-Xmx256m
export GODWIT_TRAINING=off
check "the configuration is one" "$broker" check
check "start" "$broker" start
check "users" bash -c "echo secret | '$root/usr/bin/godwit-passwd' add ann && grep -q ^ann: '$root/etc/godwit/passwd'"
check "users stay closed to others" is "$(mode etc/godwit/passwd)" 640
check "health" "$root/usr/bin/godwit-admin" health
check "data lies in /var/lib" test -f "$root/var/lib/godwit/FORMAT"
id=$(sha256sum <"$root/var/lib/godwit/FORMAT")
check "stop" "$broker" stop

# Upgrade, with a configuration that was edited.
echo '# edited' >>"$root/etc/godwit/standalone.yml"
dpkg-deb --raw-extract "$deb" "$work/next"
sed -i 's/^Version: .*/&+next/' "$work/next/DEBIAN/control"
dpkg-deb --build "$work/next" "$work/next.deb" >/dev/null
mkdir -p "$root/run"
: >"$root/run/godwit-stopped" # as prerm notes with systemd that the broker was stopped
check "upgrade" package --install --force-confold "$work/next.deb"
check "postinst of the upgrade finds the note" test -e "$root/run/godwit-stopped"
check "next version" is "$(state | grep -c '+next$')" 1
check "data is kept" is "$(sha256sum <"$root/var/lib/godwit/FORMAT")" "$id"
check "configuration is kept" is "$(tail -n 1 "$root/etc/godwit/standalone.yml")" "# edited"
check "users are kept" grep -q ^ann: "$root/etc/godwit/passwd"
check "start after the upgrade" "$broker" start
check "stop after the upgrade" "$broker" stop

# Remove.
check "remove" package --remove godwit
check "the note that it was stopped goes with it" test ! -e "$root/run/godwit-stopped"
check "configuration outlives a removal" test -f "$root/etc/godwit/standalone.yml"
check "purge" package --purge godwit
check "users are gone" test ! -e "$root/etc/godwit"
check "messages outlive a purge" test -f "$root/var/lib/godwit/FORMAT"
check "and it says so" grep -q "were kept" "$work/out"

echo "$passed passed, 0 failed"
