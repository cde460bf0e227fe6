#!/usr/bin/env bash
# standalone.sh: runs one Godwit broker. See usage() below.
# In a source checkout it builds the distribution when that is missing or older than the sources; in an unpacked
# distribution it runs what lies beside it. All state of a broker is in its data directory, so several run side by side.
set -u

# What a broker writes (messages, logs) is its user's alone. What is built is for everybody, as the caller's own umask
# has it.
given_umask=$(umask)
umask 077

usage() {
  cat <<'TXT'
usage: standalone.sh start|stop|restart|status|check|archive|version [options]

  start     starts the broker in the background; returns 0 once it serves, else prints why not; 4 when it runs but
            does not fully serve (disk nearly full, ranges without a leader). A node of a cluster says which nodes and
            ranges it waits for
  stop      stops accepting, finishes what is under way, ends the process; also ends a start that is under way. With
            --drain SECONDS it sends the clients away at an even rate before; another stop meanwhile ends it at once
  restart   stop, then start, with the configuration and log of the last start unless others are given; only when check
            finds nothing, and what has to be built is built before the stop
  status    tells whether it runs, what its start waits for, where it listens and how its stores are; 0 when it
            serves, 3 when it does not run, 4 when it runs but does not (fully) serve, such as for a range without a
            leader, or has not moved for 40 seconds
  check     reads the configuration and what it names (certificates, users, rules, plugins), beside a broker that may be
            running; 0 when one could start with it, and tells which values differ from the defaults and where each is
            from; else tells every mistake
  archive   makes the archive of classes by which a broker starts faster, unless there is one that fits; a start in the
            background has it made by itself, afterwards
  version   tells the release, and the Java it would run on

  -f, --foreground   with start: stay in the foreground (containers, systemd)
  --no-wait          with start and restart: return 0 once the process runs and has locked its data directory; status
                     tells how far it is
  --config FILE      configuration (default conf/standalone.yml)
  --data DIR         data directory (default data); holds godwit.pid
  --log DIR          log directory (default log); with -f, "-" is the console
  --drain SECONDS    with stop: close the listeners, hand over what the node leads, tell the clients to go, spread over
                     so many seconds (0 to 3600), and end when the last has gone; MQTT 5.0 clients are told to use
                     another server where serverReference names one (0x9C), else that this one shuts down (0x8B)
  --all              with check: also tell the values that are the defaults

Called by root on the data of another user it acts as that user.

environment: JAVA_HOME       the JDK or JRE to use, 17 or newer (default: java on the PATH)
             JVM_HEAP_OPTS   heap (default: half of the memory limit of the cgroup or machine)
             JVM_OPTS        further options, such as -Dinbox_store_initial_ranges=8
             GODWIT_CACHE    directory of the archive (default: cache beside lib, else godwit in the user's cache);
                             "off": none
             GODWIT_TRAINING "off": no start has an archive made; one that is there is used
TXT
}

die() { echo "godwit: $*" >&2; exit 1; }

# What a start does is written with few processes: on a busy machine each takes as long as much of the JVM's own start.

# It may be called through a symbolic link.
here=$(readlink -f "${BASH_SOURCE[0]}")
here=${here%/*}
root=${here%/*}

words=("$@")
command=${1:-}
[ $# -gt 0 ] && shift

# Ends the script unless $1 is a number of seconds that a drain may take.
is_drain() {
  case $1 in
    '' | *[!0-9]* | ?????*) ;;
    *) [ "$1" -gt "$max_drain" ] || return 0 ;;
  esac
  usage >&2
  echo "godwit: --drain needs a number of seconds from 0 to $max_drain, not: $1" >&2
  exit 2
}

foreground=
no_wait=
check_all=
drain=
max_drain=3600
config= data= log=
while [ $# -gt 0 ]; do
  case $1 in
    -f|--foreground) foreground=1 ;;
    --no-wait) no_wait=1 ;;
    --all) check_all=--all ;;
    --drain) drain=${2-}; is_drain "$drain"; shift ;;
    --drain=*) drain=${1#*=}; is_drain "$drain" ;;
    --config|--data|--log)
      [ $# -ge 2 ] && [ -n "$2" ] || die "$1 needs a value"
      printf -v "${1#--}" '%s' "$2"
      shift ;;
    --config=?*|--data=?*|--log=?*)
      value=${1%%=*}
      printf -v "${value#--}" '%s' "${1#*=}" ;;
    -h|--help) usage; exit 0 ;;
    *) usage >&2; echo "godwit: unknown option: $1" >&2; exit 2 ;;
  esac
  shift
done

if [ -n "$drain" ] && [ "$command" != stop ]; then
  usage >&2
  echo "godwit: --drain goes with stop only" >&2
  exit 2
fi

# Both say why not, as the system does: what stands behind the last colon.
make_directory() {
  local why
  [ ! -d "$1" ] || return 0
  why=$(mkdir -p "$1" 2>&1) || die "cannot create $1: ${why##*: }"
}

write_file() {
  local why
  { printf '%s' "$2" >"$1"; } 2>/dev/null && return 0
  why=$( { printf '%s' "$2" >"$1"; } 2>&1 ) || die "cannot write to $(dirname "$1"): ${why##*: }"
}

# Makes the path in the variable $1 absolute.
make_absolute() { case ${!1} in /*) ;; *) printf -v "$1" '%s/%s' "$PWD" "${!1}" ;; esac; }
given_config=$config
given_log=$log
config=${config:-$root/conf/standalone.yml}
data=${data:-$root/data}
log=${log:-$root/log}
make_absolute config
make_absolute data
[ "$log" = - ] || make_absolute log
case $command in
  start|restart) [ "$log" != - ] || [ -n "$foreground" ] || die "the console as the log needs -f" ;;
esac
pid_file=$data/godwit.pid
status_file=$data/godwit.status
# What stop --drain asks of the broker, "PID SECONDS"; the broker removes it when it has taken it.
drain_file=$data/godwit.drain
# The pid of a start under way: of this script while it builds, then of the broker, which removes the file once it has
# its pid file.
starting_file=$data/godwit.starting
# What the last start was given, for a restart: lines config=, log=.
options_file=$data/godwit.options

# Root acts as the user whose data this is: files of root would keep the broker of that user from starting later, and
# that user could lead what root writes elsewhere by a link.
become_owner() {
  local owner groups=--init-groups
  [ "$EUID" = 0 ] && [ -d "$data" ] || return 0
  owner=$(stat -L -c '%u %g %U' "$data") || die "cannot tell whose $data is"
  read -r -a owner <<<"$owner"
  [ "${owner[0]}" != 0 ] || return 0
  command -v setpriv >/dev/null 2>&1 || die "$data is of the user ${owner[2]}: call this as that user, not as root"
  [ "${owner[2]}" != UNKNOWN ] || groups=--clear-groups
  [ "$command" = status ] || echo "godwit: as the user ${owner[2]}, whose data this is" >&2
  umask "$given_umask"
  exec setpriv --reuid="${owner[0]}" --regid="${owner[1]}" "$groups" "$BASH" "$here/standalone.sh" "${words[@]}"
}

# Whether $1 is the pid of a broker on this data directory; with "start" as $2 also of this script, starting one. A pid
# file may be left over or copied: its number may belong to another program by now, or to the broker of another
# directory.
is_ours() {
  local word last= given= kind=
  # Not by kill -0, which says of another user's process what it says of none.
  case $1 in '' | *[!0-9]*) return 1 ;; esac
  [ -d "/proc/$1" ] || return 1
  while IFS= read -r -d '' word; do
    case $word in
      io.godwit.broker.Main) kind=broker ;;
      standalone.sh | */standalone.sh) [ -n "$kind" ] || kind=start ;;
      --data=*) given=${word#*=} ;;
    esac
    [ "$last" != --data ] || given=$word
    last=$word
  done 2>/dev/null <"/proc/$1/cmdline"
  case $kind in
    broker) [ -n "$given" ] || return 1 ;;
    start) [ "${2:-}" = start ] || return 1 ;;
    *) return 1 ;;
  esac
  # The script may have been given a relative name, or none.
  case $given in
    '') given=$root/data ;;
    /*) ;;
    *) given=/proc/$1/cwd/$given ;;
  esac
  [ "$given" = "$data" ] || [ "$given" -ef "$data" ]
}

# Ends the script when this user may not see whether a broker runs: what the broker writes is its user's alone. "Not
# running" would be a guess.
must_see_data() {
  local each=$data
  while [ -n "$each" ] && [ ! -e "$each" ]; do each=${each%/*}; done
  [ ! -d "${each:-/}" ] || [ -x "${each:-/}" ] ||
    die "this user may not look into ${each:-/}: whether a broker runs is not known (ask as the broker's user)"
}

# The pid of the running broker of this data directory; nothing when there is none. Both files are the broker's: one may
# be lost.
running_pid() {
  local pid=
  { IFS= read -r pid <"$pid_file"; } 2>/dev/null
  if ! is_ours "$pid"; then
    [ -f "$status_file" ] || return 1
    pid=$(sed -n 's/^pid=//p' "$status_file" 2>/dev/null)
    is_ours "$pid" || return 1
  fi
  printf '%s' "$pid"
}

# The pid of a start that is under way and is not this one.
starting_pid() {
  local pid=
  { IFS= read -r pid <"$starting_file"; } 2>/dev/null
  [ "$pid" != $$ ] && is_ours "$pid" start && printf '%s' "$pid"
}

# Tells stop and status of this start, until the script ends or a broker has taken over.
announce_start() {
  make_directory "$data"
  trap end_announcement EXIT
  announced=$$
  # A full disk takes the file and no number in it. The lock of the directory keeps two brokers apart all the same.
  { printf '%s' $$ >"$starting_file"; } 2>/dev/null || [ -f "$starting_file" ] || write_file "$starting_file" $$
}

end_announcement() {
  # A broker whose start goes on without this script removes it by itself.
  [ "$announced" = $$ ] || has_ended "$announced" || return 0
  [ "$(cat "$starting_file" 2>/dev/null)" = "$announced" ] && rm -f "$starting_file"
}

# Whether process $1 has ended, and with it the last of its threads, which may hold files until then. For kill it is
# there until its parent has taken note, and in a container the parent may be one that never does.
has_ended() {
  local stat threads
  { read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 0
  threads=("/proc/$1/task/"*)
  case ${stat##*) } in
    Z* | X*) [ ${#threads[@]} -le 1 ] ;;
    *) return 1 ;;
  esac
}

# The state that the process $1 tells of itself, in state; empty when it tells none yet. No process is started for it: a
# start looks fifty times a second, on a machine that is busy with that start.
read_state() {
  local line pid=
  state=
  [ -f "$status_file" ] || return
  while IFS= read -r line; do
    case $line in
      pid=*) pid=${line#pid=} ;;
      state=*) state=${line#state=} ;;
    esac
  done <"$status_file"
  [ "$pid" = "$1" ] || state=
}

# Sleeps for a 50th of a second, without a process where bash can: nobody writes into the pipe.
pause() {
  [ -n "${pipe:-}" ] || { exec {pipe}<> <(:); } 2>/dev/null || pipe=-
  if [ "$pipe" = - ]; then sleep 0.02; else read -rt 0.02 -u "$pipe"; fi
}

remembered() { [ ! -f "$options_file" ] || sed -n "s/^$1=//p" "$options_file" 2>/dev/null | head -n 1; }

# For the next restart. A disk that is full keeps nobody from starting.
remember_options() {
  {
    printf 'config=%s\nlog=%s\n' "$config" "$log" >"$options_file.next" && mv "$options_file.next" "$options_file"
  } 2>/dev/null
}

# Takes over what the last start was given. The JVM's options are the environment's: they are not taken over, but
# missed.
keep_options() {
  local kept pid entry name
  kept=$(remembered config)
  if [ -z "$given_config" ] && [ -n "$kept" ] && [ "$kept" != "$config" ]; then
    config=$kept
    echo "godwit: with the configuration of the last start, $config"
  fi
  kept=$(remembered log)
  [ -n "$given_log" ] || [ "$kept" = - ] || log=${kept:-$log}
  pid=$(running_pid) && [ -r "/proc/$pid/environ" ] || return 0
  while IFS= read -r -d '' entry; do
    name=${entry%%=*}
    case $name in
      JVM_OPTS|JVM_HEAP_OPTS)
        [ -n "${!name+set}" ] || echo "godwit: warning: $name is not set, the last start had: ${entry#*=}" >&2 ;;
    esac
  done <"/proc/$pid/environ"
}

# The lines of the JVM itself about why it ended, as an extended regular expression.
jvm_fault='^(Error|Unrecognized|Invalid|Conflicting|Improperly|Terminating due to|Exception in thread|# )'

# Why the process that wrote $1 gave up: the JVM's own complaint first, then the end of the rest.
print_fault() {
  grep -E "$jvm_fault" <<<"$1" | head -n 20 >&2
  grep -Ev "$jvm_fault|^WARNING: |^$" <<<"$1" | tail -n 40 >&2
}

# Sets java, java_version and, where the file "release" of the JDK says it, java_release (such as 17.0.15), and
# java_build to what else tells this JVM from others. To ask the JVM takes as long as its start.
find_java() {
  local line
  java=${JAVA_HOME:+$JAVA_HOME/bin/}java
  if ! command -v "$java" >/dev/null 2>&1; then
    [ -z "${JAVA_HOME:-}" ] ||
      die "JAVA_HOME is set to $JAVA_HOME, but $java cannot be run: correct JAVA_HOME or unset it"
    die "no java on the PATH: install a JDK 17 or newer, or set JAVA_HOME"
  fi
  java_version=
  java_release=
  java_home=$(readlink -f "$(command -v "$java")")
  java_home=${java_home%/bin/java}
  java_build=
  if { java_build=$(<"$java_home/release"); } 2>/dev/null; then
    while IFS= read -r line; do
      case $line in 'JAVA_VERSION="'*) java_version=${line#*\"} ;; esac
    done <<<"$java_build"
    java_release=${java_version%%[!0-9.]*}
    java_version=${java_version%%[!0-9]*}
  fi
  if [ -z "$java_version" ]; then
    java_build=$("$java" -version 2>&1)
    java_version=$(sed -n 's/.* version "\([0-9]*\).*/\1/p' <<<"$java_build" | head -n 1)
  fi
  [ "${java_version:-0}" -ge 17 ] 2>/dev/null || die "$java is version ${java_version:-unknown}; 17 or newer is needed"
}

# Whether this JVM can give back what glibc keeps; an option that it does not know would end its start. OpenJDK has it
# from 23 on, and in later updates of 17 and 21, which for Oracle's are made from other sources.
trims_native_heap() {
  case $java_release in
    17.0.1[3-9]* | 17.0.[2-9][0-9]* | 21.0.[5-9]* | 21.0.[1-9][0-9]*)
      [[ $java_build != *'IMPLEMENTOR="Oracle'* ]] ;;
    *) [ "$java_version" -ge 24 ] ;;
  esac
}

# Which module a build is at, of what Maven says.
print_modules() {
  local line
  while IFS= read -r line; do
    if [[ $line =~ \]\ Building\ ([^ ]+)\ .*\[([0-9]+/[0-9]+)\]$ ]]; then
      echo "godwit: module ${BASH_REMATCH[2]}: ${BASH_REMATCH[1]}"
    fi
  done
}

# Sets dist to the distribution to run, after building it when this is a checkout and the build is not up to date.
find_distribution() {
  if [ ! -f "$root/pom.xml" ]; then
    dist=$root
    return
  fi
  local target=$root/broker-dist/target
  # The lock keeps two starts from building at once; it ends with the subshell.
  (
    umask "$given_umask"
    mkdir -p "$target" || exit 1
    if command -v flock >/dev/null 2>&1; then exec 9>"$target/.build-lock"; flock 9; fi
    up_to_date && exit 0
    command -v mvn >/dev/null 2>&1 || { echo "godwit: mvn is needed to build the distribution" >&2; exit 1; }
    echo "godwit: building the distribution and the load tool, this once and after changes of the sources"
    touch "$target/.build-begun"
    # The build adds to what an earlier one has laid out: what is gone from conf would stay.
    rm -rf "$target"/quick/godwit-*/conf
    # From the root: third-party/ and .mvn/ are found there.
    set -o pipefail
    # With the load tool, so that perf.sh does not compile everything again.
    if ! (cd "$root" && mvn -B -ntp -Dquick -DskipTests -pl perf -am package 2>&1 </dev/null) |
      tee "$target/.build-log" | print_modules; then
      grep ERROR "$target/.build-log" | head -n 20 >&2
      echo "godwit: the build failed, see $target/.build-log" >&2
      exit 1
    fi
    mv "$target/.build-begun" "$target/.built"
  ) || exit 1
  dist=$(find_built)
  [ -n "$dist" ] || die "the build left no distribution in $target"
}

version() {
  local built jar
  find_java
  built=$root
  [ -f "$root/pom.xml" ] && built=$(find_built)
  jar=$(ls "$built"/lib/broker-dist-*.jar 2>/dev/null | head -n 1)
  jar=${jar##*/broker-dist-}
  jar=${jar%.jar}
  echo "Godwit ${jar:-(not built yet)}, Java $java_version ($(command -v "$java"))"
}

# The newest of what "mvn package" and this script have built. By the time of change of the jars: the build gives all of
# them the same time of modification.
find_built() {
  local newest
  newest=$(ls -tc "$root"/broker-dist/target/{,quick/}godwit-*/lib/*.jar 2>/dev/null | head -n 1)
  [ -n "$newest" ] && dirname "$(dirname "$newest")"
}

# Whether no source is newer than the last build, by this script or by hand. What is in conf is read from where it lies.
up_to_date() {
  local built reference
  built=$(find_built)
  [ -n "$built" ] || return 1
  reference=$(ls -tc "$built"/lib/*.jar "$root/broker-dist/target/.built" 2>/dev/null | head -n 1)
  [ -z "$(find "$root/pom.xml" "$root"/*/pom.xml "$root"/*/src/main \
    -newermc "$reference" -type f -print -quit 2>/dev/null)" ]
}

# The jars in an order that does not depend on the file system or the language, which an archive of classes must find
# again on other machines.
find_class_path() {
  local LC_ALL=C
  local jars=("$dist"/lib/*.jar) IFS=:
  class_path=${jars[*]}
}

build_command() {
  find_class_path
  jvm=("$java" -Xss512k -XX:+ExitOnOutOfMemoryError)
  # JRaft's generated classes predate protobuf 3.22, which the runtime would remark on at each class.
  jvm+=(-Dcom.google.protobuf.use_unsafe_pre22_gencode=true)
  # Nothing here is ever deserialized by Java: whoever finds a way to have it try gets nowhere. JVM_OPTS comes later and
  # may say otherwise.
  jvm+=('-Djdk.serialFilter=!*')
  # A client may not make the JDK's TLS 1.2 shake hands again and again; BoringSSL allows it never.
  jvm+=(-Djdk.tls.rejectClientInitiatedRenegotiation=true)
  # The seeds' names are asked for every three seconds, since a node may return under another address; by itself the JVM
  # remembers an answer for thirty. A security property of the JVM, networkaddress.cache.ttl, comes first.
  jvm+=(-Dsun.net.inetaddr.ttl=3)
  # Memory of a burst goes back to the system: a collection a minute after the last one, large buffers at once (glibc).
  jvm+=(-XX:G1PeriodicGCInterval=60000)
  # What the JVM's compilers and RocksDB have freed, glibc keeps: 15 of 175 MB of a fresh broker. To give it back takes
  # less than a millisecond each time, on a thread of its own.
  ! trims_native_heap || jvm+=(-XX:TrimNativeHeapInterval=10000)
  # What outlives two collections is a session, a connection or an index: to copy it up to fifteen times makes every
  # pause longer.
  jvm+=(-XX:MaxTenuringThreshold=2)
  # Netty follows one of so many buffers to see whether it is given back; one of its 128 costs some 3 % of the CPU at a
  # low rate, by the stacks it notes.
  jvm+=(-Dio.netty.leakDetection.samplingInterval=4096)
  # The system's errors in English: by their text a want of file descriptors is told from damage.
  if [ -n "${LC_ALL:-}" ]; then
    export LANG=$LC_ALL
    unset LC_ALL
  fi
  export LC_MESSAGES=C
  export MALLOC_MMAP_THRESHOLD_="${MALLOC_MMAP_THRESHOLD_:-131072}"
  # The signal by which the JVM halts a thread whose stack it looks at, for JFR. By default it is SIGUSR2, for which
  # JRaft has a handler of its own: JFR would see no thread run, and each of its looks would have JRaft write down its
  # state. This one is a real-time signal that nobody else uses.
  export _JAVA_SR_SIGNUM="${_JAVA_SR_SIGNUM:-38}"
  # These JVMs warn of what JCTools, the queues of Netty, cannot do without yet.
  access=()
  [ "$java_version" -lt 24 ] || access+=(--sun-misc-unsafe-memory-access=allow)
  if [ "$java_version" -ge 25 ]; then
    access+=(--enable-native-access=ALL-UNNAMED -XX:+UseCompactObjectHeaders)
  fi
  jvm+=(${access[@]+"${access[@]}"})
  # The JVM takes percentages of the cgroup's limit where there is one.
  # -d '': options may stand on several lines.
  read -r -d '' -a heap <<<"${JVM_HEAP_OPTS:--XX:MaxRAMPercentage=50}"
  read -r -d '' -a extra <<<"${JVM_OPTS:-}"
  find_archive
  use_archive
  jvm+=(${heap[@]+"${heap[@]}"} ${extra[@]+"${extra[@]}"})
  [ "$log" = - ] && jvm+=(-Dgodwit.log.to=console) || jvm+=("-Dgodwit.log.dir=$log")
  jvm+=("-Dlogback.configurationFile=$root/conf/logback.xml" -cp "$class_path"
    io.godwit.broker.Main --config "$config" --data "$data" --plugins "$root/plugins")
}

# --- The archive of classes ------------------------------------------------------------------------------------------
# Classes as the JVM maps them into memory: most of the time of a start goes into finding, checking and linking them. Up
# to Java 24 an archive of class-data sharing, from 25 on an AOT cache, which has linked classes and profiles of methods
# too. A broker that runs for a moment on an empty directory and is its own client (io.godwit.broker.Training) makes it.
# Beside it lies the library of RocksDB, which every start would take out of its jar anew.
#
# No start depends on it: one that does not fit is not found, since its name tells what it was made of, or is left aside
# by the JVM without a word. It comes into being under another name and is renamed when it is whole; a lock keeps others
# from making the same meanwhile.

# Whether the options are such that the JVM may have an archive of ours: none that says where its own is, or what would
# not go together with one.
may_have_archive() {
  local option
  [ "${GODWIT_CACHE:-}" != off ] || return 1
  for option in ${heap[@]+"${heap[@]}"} ${extra[@]+"${extra[@]}"} \
    ${JAVA_TOOL_OPTIONS:-} ${JDK_JAVA_OPTIONS:-} ${_JAVA_OPTIONS:-}; do
    case $option in
      -Xshare:* | -XX:SharedArchiveFile* | -XX:SharedClassListFile* | -XX:ArchiveClassesAtExit* | \
        -XX:[+-]*SharedArchive* | -XX:*AOT* | -XX:Flags=* | -XX:VMOptionsFile=* | @* | \
        -cp | -classpath | --class-path* | -Xbootclasspath* | --patch-module* | --upgrade-module-path*)
        return 1 ;;
    esac
  done
}

# Sets fit to those of the options that the archive must have in common with the broker, and fit_key to what of them
# makes a difference.
find_fit() {
  local option max= percent=25 unit kib key=()
  fit=()
  for option in ${heap[@]+"${heap[@]}"} ${extra[@]+"${extra[@]}"}; do
    case $option in
      -Xmx*) max=${option#-Xmx} ;;
      -XX:MaxHeapSize=*) max=${option#*=} ;;
      -XX:MaxRAMPercentage=*) percent=${option#*=} ;;
      -XX:[+-]Use* | -XX:ObjectAlignmentInBytes=* | -XX:TieredStopAtLevel=* | -XX:+Unlock*) key+=("$option") ;;
      *) continue ;;
    esac
    fit+=("$option")
  done
  # References are compressed below 32 GiB: two kinds of heaps, not one for each size.
  unit=${max: -1}
  case $max in
    *[!0-9kKmMgGtT]* | [!0-9]*) kib=0 ;;
    '')
      read -r _ kib _ </proc/meminfo
      percent=${percent%%[!0-9]*}
      kib=$((kib / 100 * ${percent:-25})) ;;
    *)
      kib=${max%[kKmMgGtT]}
      case $unit in
        [kK]) ;;
        [mM]) kib=$((kib << 10)) ;;
        [gG]) kib=$((kib << 20)) ;;
        [tT]) kib=$((kib << 30)) ;;
        *) kib=$((kib >> 10)) ;;
      esac ;;
  esac
  fit_key="${key[*]-} wide=$((kib >= 32 << 20))"
}

# Sets archive to the file that fits this JVM, these jars and options, whether it is there or not; to nothing when there
# can be none. cache is its directory, libraries that of the library of RocksDB.
find_archive() {
  local LC_ALL=C
  local name directory directories jar release= rocks= kind=jsa
  archive= cache= libraries=
  may_have_archive || return 0
  find_fit
  [ "$java_version" -lt 25 ] || kind=aot
  for jar in "$dist"/lib/*.jar; do
    jar=${jar##*/}
    case $jar in
      broker-dist-*) release=${jar#broker-dist-} ;;
      rocksdbjni-*) rocks=${jar%.jar} ;;
    esac
  done
  [ -n "$release" ] && [ -n "$rocks" ] || return 0
  # Of our own jars the content counts: builds give all of them the same time, and a change need not change the size.
  name=$( {
    printf '%s\n' "$java_home" "$java_build" "$fit_key" "$class_path"
    stat -L -c '%n %s %Y' "$java_home"/lib/server/libjvm.so "$dist"/lib/*.jar
    cat "$dist"/lib/*-"$release"
  } 2>/dev/null | sha256sum) || return 0
  name=broker-$java_version-${name:0:20}.$kind
  # Beside the jars, for all who run them; where that cannot be written, in the cache of the user, which nobody else may
  # write.
  if [ -n "${GODWIT_CACHE:-}" ]; then
    directory=$GODWIT_CACHE
    make_absolute directory
    directories=("$directory")
  else
    directories=("$dist/cache")
    if [ -n "${CACHE_DIRECTORY:-}" ]; then
      directories+=("$CACHE_DIRECTORY") # systemd's
    elif [ -n "${XDG_CACHE_HOME:-}" ]; then
      directories+=("$XDG_CACHE_HOME/godwit")
    elif [ -n "${HOME:-}" ]; then
      directories+=("$HOME/.cache/godwit")
    fi
  fi
  for directory in "${directories[@]}"; do
    case $directory in *[:,]*) continue ;; esac # these mean something to the JVM
    if [ -r "$directory/$name" ]; then
      cache=$directory
      break
    fi
    [ -n "$cache" ] || ! may_write "$directory" || cache=$directory
  done
  [ -n "$cache" ] || return 0
  archive=$cache/$name
  libraries=$cache/$rocks
}

# Whether files could be made in the directory $1, which need not be there.
may_write() {
  local each=$1
  while [ ! -e "$each" ]; do each=$(dirname "$each"); done
  [ -d "$each" ] && [ -w "$each" ]
}

# Adds to the command what has the JVM use the archive, when there is one. In JVM_OPTS later words about its logging
# win.
use_archive() {
  uses_archive=
  [ -n "$archive" ] || return 0
  if [ -d "$libraries" ]; then
    export LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  fi
  [ -s "$archive" ] && [ -r "$archive" ] || return 0
  uses_archive=1
  if [ "$java_version" -ge 25 ]; then
    jvm+=("-XX:AOTCache=$archive" '-Xlog:aot*=off')
  else
    jvm+=("-XX:SharedArchiveFile=$archive")
  fi
  jvm+=('-Xlog:cds*=off')
}

# Whether the JVM takes the archive: what it says against that is in refusal.
fits() {
  local demand=(-Xshare:on "-XX:SharedArchiveFile=$1")
  [ "$java_version" -lt 25 ] || demand=(-XX:AOTMode=on "-XX:AOTCache=$1")
  refusal=$("$java" ${access[@]+"${access[@]}"} ${fit[@]+"${fit[@]}"} -Xms16m "${demand[@]}" \
    -cp "$class_path" -version 2>&1 </dev/null)
}

# Makes the archive, at low priority; says in one line what came of it. 0 when there is one now, or another makes it. In
# a shell of its own, whose end removes what is left.
make_archive() {
  local since=$SECONDS training size reason
  umask "$given_umask" # others who run these jars use it too
  may_write "$cache" || { echo "godwit: no archive of classes: $cache cannot be written"; return 1; }
  make_directory "$cache"
  if command -v flock >/dev/null 2>&1; then
    exec 8>"$cache/.lock" || return 1
    if ! flock -n 8; then
      echo "godwit: the archive of classes is being made by another process"
      return 0
    fi
  fi
  work=$(mktemp -d "${TMPDIR:-/tmp}/godwit-training.XXXXXX") || return 1
  made=$cache/.$$.${archive##*.}
  trap 'rm -rf "$work" "$made" "$made.config"' EXIT
  if [ "$java_version" -ge 25 ]; then
    training=("-XX:AOTCacheOutput=$made")
  else
    # It has no profiles of methods, so the compiler that takes them is not needed.
    training=("-XX:ArchiveClassesAtExit=$made" -XX:TieredStopAtLevel=1)
  fi
  renice -n 19 -p "$BASHPID" >/dev/null 2>&1
  # What ends with the lock must not hold it on.
  "$java" ${access[@]+"${access[@]}"} ${fit[@]+"${fit[@]}"} -Xss512k -Xms32m "${training[@]}" \
    -Dcom.google.protobuf.use_unsafe_pre22_gencode=true '-Djdk.serialFilter=!*' "-Dgodwit.log.dir=$work/log" \
    "-Dlogback.configurationFile=$root/conf/logback.xml" -cp "$class_path" \
    io.godwit.broker.Training "$work" "$libraries" >"$work/out" 2>&1 </dev/null 8>&- ||
    rm -f "$made" # one that failed leaves what it has seen so far
  if [ ! -s "$made" ]; then
    reason=$( (grep '^godwit: ' "$work/out" || grep -v '^$' "$work/out") | tail -n 1)
    echo "godwit: no archive of classes, none was made: $reason"
    : >"$archive.none"
    return 1
  fi
  if ! fits "$made"; then
    echo "godwit: no archive of classes, the JVM does not take it: $(head -n 1 <<<"$refusal")"
    : >"$archive.none"
    return 1
  fi
  if ! mv "$made" "$archive"; then
    return 1
  fi
  rm -f "$archive.none"
  # Of earlier builds and JVMs; who still uses one has it open.
  # In a directory that somebody has named there may be other files.
  find "$cache" -maxdepth 1 -type f -mtime +60 \
    \( -name 'broker-[1-9]*-????????????????????.jsa' -o -name 'broker-[1-9]*-????????????????????.aot' \
    -o -name 'broker-[1-9]*-????????????????????.*.none' \) -delete 2>/dev/null
  size=$(stat -c %s "$archive")
  echo "godwit: archive of classes made in $((SECONDS - since)) s, $((size >> 20)) MiB: $archive"
}

# Has the archive made in the background when the broker $1, which serves, could not use one; the log of its start tells
# of that.
train() {
  local available
  [ -n "$archive" ] && [ "${GODWIT_TRAINING:-}" != off ] && [ ! -e "$archive.none" ] || return 0
  if [ -n "$uses_archive" ]; then
    # The JVM has mapped the file when it uses it.
    grep -qF "$archive" "/proc/$1/maps" 2>/dev/null && return 0
  fi
  # It is not worth to press anybody for memory.
  available=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo 2>/dev/null)
  [ "${available:-1048576}" -ge 1048576 ] || return 0
  (
    # One that is there may be fine, and something else in the way.
    [ -n "$uses_archive" ] && fits "$archive" || make_archive
  ) >>"$begun" 2>&1 </dev/null &
  disown $! 2>/dev/null
}

archive() {
  build_command
  [ -n "$archive" ] ||
    die "no archive of classes: there are options that do not go together with one, or no directory for it" \
      "(GODWIT_CACHE)"
  if [ -s "$archive" ] && fits "$archive"; then
    echo "godwit: the archive of classes is there: $archive"
    return 0
  fi
  (make_archive)
}

# Whether a broker could start with the configuration; tells what is wrong with it. Leaves in values which it has.
check() {
  local option output
  build_command
  local checker=()
  for option in "${jvm[@]}"; do
    case $option in
      # what listens, writes or takes memory: a broker with the same options may be running
      -agent*|-javaagent*|-Xrun*|-Xlog*|-XX:+AlwaysPreTouch|-XX:ArchiveClassesAtExit*|-XX:StartFlightRecording*) ;;
      -Dcom.sun.management.*|-Dlogback.configurationFile=*) ;;
      io.godwit.broker.Main)
        checker+=(-XX:TieredStopAtLevel=1 -Dlogback.configurationFile=io/godwit/broker/logback-check.xml
          "$option" --check)
        [ -z "$check_all" ] || checker+=("$check_all") ;;
      *) checker+=("$option") ;;
    esac
  done
  if ! output=$("${checker[@]}" 2>&1 </dev/null); then
    print_fault "$output"
    return 1
  fi
  values=$(grep '^godwit:   ' <<<"$output") || true # there may be none
}

print_ready() {
  sed -n -e 's/^listen=/godwit: listening on /p' -e 's/^warning=/godwit: warning: /p' "$status_file" 2>/dev/null
}

start() {
  local pid kept
  pid=$(running_pid) && die "already running with pid $pid on $data"
  pid=$(starting_pid) && die "already starting with pid $pid on $data"
  kept=$(remembered config)
  if [ -z "$given_config" ] && [ -n "$kept" ] && [ "$kept" != "$config" ]; then
    echo "godwit: warning: the last start on $data had the configuration $kept, this one has $config" >&2
  fi
  announce_start
  find_java
  find_distribution
  run
}

# Without a Java, a build or a configuration that can be used, the broker that runs goes on running.
restart() {
  keep_options
  find_java
  find_distribution
  check || die "not restarted"
  announce_start
  stop && run
}

# The archive with which the JVM has failed, until it is known that it does not without; and where it was to be sought.
suspect=
asked_cache=

# What the broker whose status is on standard input waits for before it serves, a line each.
waits() {
  sed -n -e 's/^waiting=/waits for /p' -e 's/^store=\([^ ]*\) STARTING /store \1 waits for /p' \
    -e 's/^store=\([^ ]*\) NO_QUORUM /store \1 has ranges that nobody serves: /p'
}

# Says what a start waits for: when it has for five seconds, and again when that has changed.
print_wait() {
  local now
  now=$(waits 2>/dev/null <"$status_file")
  if [ -n "$now" ] && [ "$now" != "$told" ]; then
    told=$now
    printf 'godwit: %s\n' "${now//$'\n'/$'\n'godwit: }"
  fi
}

# Runs the distribution found.
run() {
  local pid begun state remembers= waited=0 told=
  if [ "$log" != - ]; then
    make_directory "$log"
    begun=$log/start.log
    write_file "$begun" '' # nothing of an earlier start
  fi
  ulimit -n "$(ulimit -Hn)" 2>/dev/null
  build_command
  # Of a process that is no more, for nobody runs here. Its pid may be this one's: in a container it is the same each
  # time.
  [ ! -f "$status_file" ] || rm -f "$status_file"
  if [ -n "$foreground" ]; then
    remember_options
    exec "${jvm[@]}"
  fi
  # ">>": the training adds its line
  nohup "${jvm[@]}" >>"$begun" 2>&1 </dev/null &
  pid=$!
  announced=$pid
  { printf '%s' "$pid" >"$starting_file"; } 2>/dev/null
  disown "$pid" 2>/dev/null
  while :; do
    read_state "$pid"
    if [ -n "$state" ] && [ -z "$remembers" ]; then # the data is its own
      remember_options
      remembers=1
    fi
    if [ -n "$no_wait" ] && [ "$state" = starting ]; then
      echo "godwit: starting, pid $pid, data in $data, log in $log; status tells how far it is"
      return 0
    fi
    if [ "$state" = degraded ]; then
      print_ready
      sed -n 's/^store=/godwit: store /p' "$status_file" >&2
      echo "godwit: pid $pid runs, but does not fully serve" >&2
      return 4
    fi
    if [ "$state" = ready ]; then
      print_ready
      echo "godwit: started, pid $pid, data in $data, log in $log"
      if [ -n "$suspect" ]; then # it was the archive: made anew
        rm -f "$suspect"
        GODWIT_CACHE=$asked_cache
        find_archive
      fi
      train "$pid"
      return 0
    fi
    if ! kill -0 "$pid" 2>/dev/null; then
      # A JVM that fails by itself may have stumbled over the archive: a disk can damage what is in the middle.
      if [ -n "$uses_archive" ] && [ -z "$remembers" ] &&
        grep -qE '^(# |Error occurred during initialization)' "$begun"; then
        suspect=$archive
        asked_cache=${GODWIT_CACHE:-}
        GODWIT_CACHE=off
        run
        return
      fi
      print_fault "$(cat "$begun")"
      die "did not start"
    fi
    waited=$((waited + 1))
    [ "$waited" -lt 250 ] || [ $((waited % 100)) -ne 0 ] || print_wait
    if [ "$waited" -gt $((${GODWIT_START_TIMEOUT_SECONDS:-600} * 50)) ]; then
      told=
      print_wait >&2
      kill "$pid"
      die "not ready after ${GODWIT_START_TIMEOUT_SECONDS:-600} s, see $log"
    fi
    pause
  done
}

# Has the broker send its clients away and end. Returns 0 when it has ended, or when there is nothing to drain; 1 when
# it does not take the request, and is to be stopped without.
drain() {
  local pid state since=$SECONDS
  pid=$(running_pid) || return 0
  read_state "$pid"
  case $state in
    stopping) die "pid $pid stops already; stop without --drain ends it at once" ;;
    ready|degraded) ;;
    *) return 0 ;; # it has no clients
  esac
  write_file "$drain_file.next" "$pid $((10#$drain))"
  mv "$drain_file.next" "$drain_file" || die "cannot write to $data"
  while ! has_ended "$pid"; do
    if [ -f "$drain_file" ] && [ $((SECONDS - since)) -gt 10 ]; then
      rm -f "$drain_file"
      echo "godwit: pid $pid does not take the request to drain, it is stopped without" >&2
      return 1
    fi
    if [ $((SECONDS - since)) -gt $((10#$drain + 60)) ]; then
      echo "godwit: pid $pid still drains after $drain s and 60 s more, it is stopped" >&2
      return 1
    fi
    pause
  done
  return 0
}

stop() {
  local pid waited=0 stopped=
  if [ -n "$drain" ] && pid=$(running_pid); then
    drain && has_ended "$pid" && stopped=1
  fi
  while pid=$(starting_pid) || pid=$(running_pid); do
    kill "$pid" 2>/dev/null || has_ended "$pid" ||
      die "pid $pid is of the user $(stat -c %U "/proc/$pid"): the user $(id -un) may not stop it"
    while ! has_ended "$pid"; do
      waited=$((waited + 1))
      [ "$waited" -gt 1200 ] && die "pid $pid still runs 60 s after the request to stop, see $log"
      sleep 0.05
    done
    [ "$(cat "$starting_file" 2>/dev/null)" = "$pid" ] && rm -f "$starting_file"
    stopped=1
  done
  if [ -n "$stopped" ]; then
    echo "godwit: stopped"
  else
    echo "godwit: not running on $data"
  fi
}

status() {
  local pid report state age
  if ! pid=$(running_pid); then
    if pid=$(starting_pid); then
      echo "godwit: pid $pid, starting"
      return 4
    fi
    echo "godwit: not running on $data"
    return 3
  fi
  # Read once: the broker replaces the file while we print.
  report=$(cat "$status_file" 2>/dev/null)
  state=$(sed -n 's/^state=//p' <<<"$report")
  # A broker touches the file every ten seconds.
  age=$(($(date +%s) - $(stat -c %Y "$status_file" 2>/dev/null || date +%s)))
  if [ "$age" -gt 40 ]; then
    state="not moving for $age s, was ${state:-starting}"
  else
    # One that was halted by a signal is found out at once.
    case $(sed -n 's/^State:[[:space:]]*//p' "/proc/$pid/status" 2>/dev/null) in
      [Tt]*) state="halted by a signal, was ${state:-starting}" ;;
    esac
  fi
  echo "godwit: pid $pid, ${state:-starting}"
  sed -n -e 's/^waiting=/godwit: waits for /p' <<<"$report"
  sed -n -e 's/^listen=/godwit: listening on /p' -e 's/^warning=/godwit: warning: /p' \
    -e 's/^store=/godwit: store /p' -e 's/^events=/godwit: events since the start: /p' <<<"$report"
  [ "$state" = ready ] || return 4
}

case $command in
  start|stop|restart|status|check|archive) become_owner ;;
esac
case $command in
  start|stop|restart|status) must_see_data ;;
esac
case $command in
  start) start ;;
  stop) stop ;;
  restart) restart ;;
  status) status ;;
  check)
    keep_options
    find_java
    find_distribution
    check || exit 1
    if [ -n "$values" ]; then
      [ -n "$check_all" ] && echo "godwit: every value, and where it is from:" ||
        echo "godwit: differing from the defaults, and where from:"
      printf '%s\n' "$values"
    fi
    echo "godwit: a broker could start with $config" ;;
  archive)
    find_java
    find_distribution
    archive ;;
  version|-V|--version) version ;;
  -h|--help|help) usage ;;
  '') usage >&2; exit 2 ;;
  *) usage >&2; echo "godwit: unknown command: $command" >&2; exit 2 ;;
esac
