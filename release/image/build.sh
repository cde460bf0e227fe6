#!/usr/bin/env bash
# Builds the container image. Downloads only Debian packages.
#   release/image/build.sh                  builds release/target/image/rootfs.tar, and from it the image godwit:VERSION
#   release/image/build.sh --no-load        builds rootfs.tar only; needs no docker
#   release/image/build.sh --packages FILE  takes the versions of Debian's packages from FILE
# The sources are the archive of "mvn package", a JDK 17 or newer from JAVA_HOME or the PATH, and the packages in the
# file "packages", which apt-get downloads. Their versions are not fixed: Debian removes a version when it publishes the
# next one, and an image that is built again should have the latest fixes. Each build states what it took, in
# release/target/image/packages.txt, which --packages reads.
# The image is for the architecture of this machine. Needs root, because the archive of classes is created with chroot
# in the image's root directory.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
umask 022
here=release/image
out=$PWD/release/target/image
root=$out/rootfs
load=1 stated=
die() { echo "image: $*" >&2; exit 1; }
while [ $# -gt 0 ]; do
  case $1 in
    --no-load) load= ;;
    --packages)
      # A copy, since the file may be of the last build, whose directory is deleted below.
      stated=$(mktemp)
      trap 'rm -f "$stated"' EXIT
      cp "${2:?--packages needs a file}" "$stated"
      shift ;;
    *) die "unknown option $1" ;;
  esac
  shift
done
say() { echo "image: $*"; }

[ "$(id -u)" = 0 ] || die "needs root"
archive=$(ls broker-dist/target/godwit-*.tar.gz 2>/dev/null | grep -v all-platforms | head -n 1) || true
[ -n "$archive" ] || die "there is no archive: run \"mvn package\" first"
version=${archive##*/godwit-}
version=${version%.tar.gz}
java=$(command -v "${JAVA_HOME:+$JAVA_HOME/bin/}java") || die "there is no java: set JAVA_HOME to a JDK"
java=$(readlink -f "$java")
jdk=${java%/bin/java}
[ -d "$jdk/jmods" ] || die "$jdk is no JDK with jmods"
case $(uname -m) in
  x86_64) native=linux64 other=aarch_64 ;;
  aarch64) native=linux-aarch64 other=x86_64 ;;
  *) die "no image for $(uname -m)" ;;
esac

rm -rf "$out"
mkdir -p "$root"/usr/{bin,sbin,lib,lib64} "$root"/{tmp,etc/godwit,var/lib/godwit/data,var/lib/dpkg/status.d,opt/godwit}
for directory in bin sbin lib lib64; do ln -s "usr/$directory" "$root/$directory"; done

say "Debian's packages"
"$here/fetch-packages" "$here/packages" "$out/packages" "$stated" >"$out/packages.txt"
for package in "$out"/packages/*.deb; do
  # --keep-directory-symlink keeps the links from above: files in /bin of a package go into /usr/bin.
  dpkg-deb --fsys-tarfile "$package" | tar -x -C "$root" --keep-directory-symlink \
    --exclude='./usr/share/man' --exclude='./usr/share/locale' --exclude='./usr/share/info' --exclude='./etc/skel' \
    --exclude='./usr/share/doc/*/changelog*' --exclude='./usr/share/doc/*/NEWS*' --exclude='./usr/share/doc/*/examples'
  # Scanners for known vulnerabilities look for packages here.
  dpkg-deb --field "$package" >"$root/var/lib/dpkg/status.d/$(dpkg-deb --field "$package" Package)"
done
rm -rf "$root"/usr/lib/*/gconv "$root"/usr/share/{bash-completion,lintian,menu,bug}

say "Java"
modules=$(grep -v '^#' "$here/modules" | paste -sd, -)
"$jdk/bin/jlink" --module-path "$jdk/jmods" --add-modules "$modules" --output "$root/opt/java" \
  --strip-debug --no-man-pages --no-header-files --compress=2
rm -f "$root"/opt/java/lib/lib{awt*,fontmanager,freetype,javajpeg,jawt,jsound,lcms,mlib_image,splashscreen}.so
# In Debian's JDK this file is a link into /etc.
cp -L "$jdk/lib/security/cacerts" "$root/opt/java/lib/security/cacerts.real"
mv -f "$root/opt/java/lib/security/cacerts.real" "$root/opt/java/lib/security/cacerts"
find "$root/opt/java" -type l | while read -r link; do
  [ -e "$link" ] || case $(readlink "$link") in
    /*) cp -L "$jdk/${link#"$root/opt/java/"}" "$link.real" && mv -f "$link.real" "$link" ;;
  esac
done

say "the broker"
tar -x -f "$archive" -C "$root/opt/godwit" --strip-components=1 --no-same-owner
rm -rf "$root"/opt/godwit/{docs,README.md,ARCHITECTURE.md,CHANGELOG.md,CONTRIBUTING.md,SECURITY.md}
rm -f "$root"/opt/godwit/lib/*-"linux-$other".jar
install -m 755 "$here/health" "$root/opt/godwit/bin/health"
mv "$root/opt/godwit/conf/standalone.yml" "$root/etc/godwit/standalone.yml"
# RocksDB's library for this architecture lies in a directory where the JVM looks for it. In its jar it would be in the
# image twice, since the broker loads it from a file. strip removes only symbols that are not exported.
rocks=$(ls "$root"/opt/godwit/lib/rocksdbjni-*.jar)
mkdir "$out/rocksdb"
(
  cd "$out/rocksdb"
  "$jdk/bin/jar" --extract --file "$rocks"
  mv "librocksdbjni-$native.so" "$root/usr/lib"
  rm -rf librocksdbjni-* META-INF
  "$jdk/bin/jar" --create --no-compress --no-manifest --date 2026-01-01T00:00:00Z --file "$rocks" . 2>/dev/null ||
    "$jdk/bin/jar" --create --no-compress --no-manifest --file "$rocks" .
)
chmod 644 "$root/usr/lib/librocksdbjni-$native.so"
if command -v strip >/dev/null; then strip --strip-unneeded "$root/usr/lib/librocksdbjni-$native.so"; fi

printf '%s\n' 'root:x:0:0:root:/:/bin/bash' 'godwit:x:10001:10001:Godwit:/var/lib/godwit:/usr/sbin/nologin' \
    >"$root/etc/passwd"
printf 'root:x:0:\ngodwit:x:10001:\n' >"$root/etc/group"
printf 'hosts: files dns\npasswd: files\ngroup: files\n' >"$root/etc/nsswitch.conf"
chmod 1777 "$root/tmp"
chown -R 10001:10001 "$root/var/lib/godwit"
chmod 700 "$root/var/lib/godwit" "$root/var/lib/godwit/data"

# The archive of classes depends on the modification times of the jars, so they are set before it is created.
find "$root" -exec touch -h -d '2026-01-01T00:00:00Z' {} +
say "the archive of classes"
mkdir -p "$root/proc" "$root/dev"
mknod -m 666 "$root/dev/null" c 1 3
mknod -m 666 "$root/dev/random" c 1 8
mknod -m 666 "$root/dev/urandom" c 1 9
# The mounts are made in a mount namespace of their own and disappear with it. The root is mounted on itself, because
# the broker looks up the disk of its data. First the archive of the JDK's own classes is created, which jlink leaves
# out and which the other archive is based on.
unshare --mount bash -euc '
  mount --bind "$1" "$1"
  mount --bind /proc "$1/proc"
  as=(chroot "$1" /usr/bin/env -i PATH=/opt/godwit/bin:/usr/bin:/bin JAVA_HOME=/opt/java LANG=C.UTF-8)
  "${as[@]}" /opt/java/bin/java -Xshare:dump >/dev/null
  find "$1/opt/java/lib/server" -exec touch -h -d 2026-01-01T00:00:00Z {} +
  "${as[@]}" /opt/godwit/bin/standalone.sh archive' bash "$root" || say "without: a start takes longer"
# The scripts look for data here by default, for example in "docker exec NAME godwit-admin health".
# The link comes last: called by root, standalone.sh acts as the owner of the data.
ln -s /var/lib/godwit/data "$root/opt/godwit/data"
rm -rf "$root"/tmp/* "$root"/dev/*
find "$root/opt/godwit" "$root/tmp" "$root/dev" -exec touch -h -d '2026-01-01T00:00:00Z' {} + 2>/dev/null || true

tar -c -f "$out/rootfs.tar" --sort=name --numeric-owner -C "$root" .
say "$out/rootfs.tar: $(($(stat -c %s "$out/rootfs.tar") >> 20)) MiB, compressed $((
  $(gzip -c "$out/rootfs.tar" | wc -c) >> 20)) MiB"

if [ -n "$load" ]; then
  cp "$here/Dockerfile" "$out/Dockerfile"
  printf '*\n!rootfs.tar\n' >"$out/.dockerignore"
  docker build -q --network none -t "godwit:$version" "$out" || die "docker has not built it; rootfs.tar is there"
  bytes=$(docker image inspect -f '{{.Size}}' "godwit:$version")
  say "godwit:$version: $((bytes / 1048576)) MiB"
fi
