# What the scripts of this directory have in common. Variables PODS_... are for tests.
home=${PODS_HOME:-/opt/godwit}
state=${PODS_STATE:-/var/lib/godwit}
data=$state/data
config=${PODS_CONFIG:-/etc/godwit/standalone.yml}
# Is there while this pod, or the one before it with the same name, has been scaled in.
scaled_in=$state/scaled-in
# The name of that file at all other times. On a full disk a file can be renamed, but not created.
not_scaled_in=$state/is-wanted
# The node of Kubernetes that this pod was on at its last start, and the zone of that node.
zone_file=$state/zone

# Kubernetes shows nobody what a hook says: from here on it goes to the log of the container, where process 1 writes.
log_of_container() {
  local log=${PODS_LOG:-/proc/1/fd/2}
  ! { : >>"$log"; } 2>/dev/null || exec >>"$log" 2>&1
}

say() { echo "pod: $*" >&2; }

admin() { "$home/bin/godwit-admin" "$@"; }

# The value of one field of the JSON that "members --json" prints; of the first one, which is not nested.
field() { sed -n 's/^  "'"$1"'": "\([0-9A-Za-z-]*\)",\{0,1\}$/\1/p' | head -n 1; }
