#!/usr/bin/env bash
# Becomes the first process of a container, in namespaces that the caller has made for it (unshare).
#   container.sh DIR DISTRIBUTION USER COMMAND...
# DIR/root becomes its root: the programs and the JDK of this machine, the distribution, and what DIR/mounts lists:
# lines "SOURCE TARGET MODE", MODE is ro or rw. DIR/environment has the variables, each with a NUL behind it.
set -euo pipefail
dir=$1 root=$1/root distribution=$2 user=$3
shift 3

bind() {
  mkdir -p "$(dirname "$root$2")"
  if [ -d "$1" ]; then mkdir -p "$root$2"; else [ -e "$root$2" ] || : >"$root$2"; fi
  mount --bind "$1" "$root$2"
  [ "$3" = rw ] || mount -o remount,bind,ro "$root$2"
}

mkdir -p "$root"
mount -t tmpfs -o mode=755 tmpfs "$root"
mkdir -p "$root/proc" "$root/etc/ssl" "$root/dev" "$root/tmp" "$root/var/lib/godwit"
bind /usr /usr ro
for each in bin sbin lib lib64; do
  if [ -L "/$each" ]; then cp -P "/$each" "$root/"; elif [ -d "/$each" ]; then bind "/$each" "/$each" ro; fi
done
for each in null zero full random urandom; do bind "/dev/$each" "/dev/$each" rw; done
ln -s /proc/self/fd "$root/dev/fd"
mount -t proc proc "$root/proc"
# Those of the libraries and the JDK.
for each in /etc/ld.so.cache /etc/alternatives /etc/ssl /etc/java*; do
  [ ! -e "$each" ] || cp -a "$each" "$root/etc/"
done
printf 'root:x:0:0::/:/bin/sh\ngodwit:x:10001:10001::/var/lib/godwit:/bin/sh\n' >"$root/etc/passwd"
printf 'root:x:0:\ngodwit:x:10001:\n' >"$root/etc/group"
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
cp "$dir/hosts" "$dir/resolv.conf" "$root/etc/"
java=$(readlink -f "$(command -v java)")
bind "${java%/bin/java}" /opt/java ro
bind "$distribution" /opt/godwit ro
while read -r source target mode; do bind "$source" "$target" "$mode"; done <"$dir/mounts"
# As with readOnlyRootFilesystem.
mount -o remount,ro "$root"
hostname "$(cat "$dir/hostname")"
mapfile -d '' -t environment <"$dir/environment"
cd "$root"
exec chroot "$root" setpriv --reuid "$user" --regid "$user" --clear-groups --no-new-privs --bounding-set=-all \
  --inh-caps=-all env -i -C /var/lib/godwit "${environment[@]}" "$@"
