#!/usr/bin/env bash
# standalone.sh: runs one Godwit broker. See usage() below.
# In a source checkout it builds the distribution if that is missing or older than the sources. In an unpacked
# distribution it runs that distribution. All state of a broker is in its data directory, so several can run side by
# side.
set -u

# Only its own user may access the files that a broker writes (messages, logs). Files of a build get the caller's umask.
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

# A start uses few processes, because on a busy machine each of them delays the start of the JVM noticeably.

# The script may be called through a symbolic link.
here=$(readlink -f "${BASH_SOURCE[0]}")
here=${here%/*}
root=${here%/*}

words=("$@")
command=${1:-}
[ $# -gt 0 ] && shift

# Ends the script with an error unless $1 is a valid number of seconds for --drain.
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

# On failure, both functions print the system's reason: the text after the last colon.
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
start_timeout=${GODWIT_START_TIMEOUT_SECONDS:-600}
case $command in
  start|restart)
    [ "$log" != - ] || [ -n "$foreground" ] || die "the console as the log needs -f"
    # Before anything is started or stopped.
    case $start_timeout in
      *[!0-9]* | ????????*) die "GODWIT_START_TIMEOUT_SECONDS must be a number of seconds, but is $start_timeout" ;;
    esac ;;
esac
# An operator's, for godwit-admin. The broker and its plugins must not have it.
unset GODWIT_TOKEN
pid_file=$data/godwit.pid
status_file=$data/godwit.status
# The request of stop --drain, "PID SECONDS". The broker removes the file when it accepts the request.
drain_file=$data/godwit.drain
# The pid of a start in progress: first of this script while it builds, then of the broker. The broker removes the file
# once it has written its pid file.
starting_file=$data/godwit.starting
# The options of the last start, for a restart: lines config= and log=.
options_file=$data/godwit.options

# If root calls the script, it runs as the owner of the data directory. Otherwise that user's broker could not start
# later because of files that belong to root, and the user could redirect root's writes by a symbolic link.
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

# Whether $1 is the pid of a broker with this data directory. If $2 is "start", also whether it is the pid of a run of
# this script that starts such a broker. A pid file may be stale or copied, so its number may belong to another program
# or to the broker of another directory.
is_ours() {
  local word last= given= kind=
  # Not by kill -0, which fails in the same way for a process of another user as for no process.
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
  # The directory may be given as a relative path, or not at all.
  case $given in
    '') given=$root/data ;;
    /*) ;;
    *) given=/proc/$1/cwd/$given ;;
  esac
  [ "$given" = "$data" ] || [ "$given" -ef "$data" ]
}

# Ends the script with an error if this user may not read the broker's files. Then the script cannot know whether a
# broker runs, and must not claim that none does.
must_see_data() {
  local each=$data
  while [ -n "$each" ] && [ ! -e "$each" ]; do each=${each%/*}; done
  [ ! -d "${each:-/}" ] || [ -x "${each:-/}" ] ||
    die "this user may not look into ${each:-/}: whether a broker runs is not known (ask as the broker's user)"
}

# Prints the pid of the running broker of this data directory, or nothing if none runs. The broker writes the pid into
# two files, so it is found even if one file is missing.
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

# Prints the pid of a start in progress other than this one.
starting_pid() {
  local pid=
  { IFS= read -r pid <"$starting_file"; } 2>/dev/null
  [ "$pid" != $$ ] && is_ours "$pid" start && printf '%s' "$pid"
}

# Makes this start visible to stop and status until the script ends or the broker takes over.
announce_start() {
  make_directory "$data"
  trap end_announcement EXIT
  announced=$$
  # On a full disk the file may be empty. That is accepted, because the lock of the directory still excludes a second
  # broker.
  { printf '%s' $$ >"$starting_file"; } 2>/dev/null || [ -f "$starting_file" ] || write_file "$starting_file" $$
}

end_announcement() {
  # If the broker continues to start after this script has ended, it removes the file itself.
  [ "$announced" = $$ ] || has_ended "$announced" || return 0
  [ "$(cat "$starting_file" 2>/dev/null)" = "$announced" ] && rm -f "$starting_file"
}

# Whether process $1 and all its threads have ended; until then they may hold files. kill -0 is no substitute: it
# succeeds until the parent has reaped the process, and in a container some parents never do that.
has_ended() {
  local stat threads
  { read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 0
  threads=("/proc/$1/task/"*)
  case ${stat##*) } in
    Z* | X*) [ ${#threads[@]} -le 1 ] ;;
    *) return 1 ;;
  esac
}

# Sets state to the state that process $1 has reported in the status file; empty if none yet. It starts no process,
# because a start calls it fifty times a second, while the machine is busy with that start.
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

# Sleeps for a 50th of a second. Starts no process if bash can wait for a pipe instead, into which nobody writes.
pause() {
  [ -n "${pipe:-}" ] || { exec {pipe}<> <(:); } 2>/dev/null || pipe=-
  if [ "$pipe" = - ]; then sleep 0.02; else read -rt 0.02 -u "$pipe"; fi
}

remembered() { [ ! -f "$options_file" ] || sed -n "s/^$1=//p" "$options_file" 2>/dev/null | head -n 1; }

# Stores the options for the next restart. A failure, such as a full disk, does not prevent the start.
remember_options() {
  {
    printf 'config=%s\nlog=%s\n' "$config" "$log" >"$options_file.next" && mv "$options_file.next" "$options_file"
  } 2>/dev/null
}

# Uses the options of the last start where none are given. The JVM's options come from the environment, so they are not
# reused; a warning is printed if they are missing now.
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

# An extended regular expression for the lines in which the JVM says why it ended.
jvm_fault='^(Error|Unrecognized|Invalid|Conflicting|Improperly|Terminating due to|Exception in thread|# )'

# Prints why the process with the output $1 failed: first the messages of the JVM, then the last lines of the rest.
print_fault() {
  grep -E "$jvm_fault" <<<"$1" | head -n 20 >&2
  grep -Ev "$jvm_fault|^WARNING: |^$" <<<"$1" | tail -n 40 >&2
}

# Sets java, java_version, java_build (a text that distinguishes this JVM from others) and, if the file "release" of the
# JDK has it, java_release (such as 17.0.15). It reads that file because running "java -version" takes longer.
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

# Whether this JVM has the option TrimNativeHeapInterval; a JVM does not start with an unknown option. OpenJDK has it
# in later updates of 17 and 21, which at Oracle are built from other sources, and in 24 and newer.
trims_native_heap() {
  case $java_release in
    17.0.1[3-9]* | 17.0.[2-9][0-9]* | 21.0.[5-9]* | 21.0.[1-9][0-9]*)
      [[ $java_build != *'IMPLEMENTOR="Oracle'* ]] ;;
    *) [ "$java_version" -ge 24 ] ;;
  esac
}

# Reads the output of Maven and prints each module that the build begins.
print_modules() {
  local line
  while IFS= read -r line; do
    if [[ $line =~ \]\ Building\ ([^ ]+)\ .*\[([0-9]+/[0-9]+)\]$ ]]; then
      echo "godwit: module ${BASH_REMATCH[2]}: ${BASH_REMATCH[1]}"
    fi
  done
}

# Sets dist to the distribution to run. In a checkout it builds the distribution first if that is not up to date.
find_distribution() {
  if [ ! -f "$root/pom.xml" ]; then
    dist=$root
    return
  fi
  local target=$root/broker-dist/target
  # The lock prevents two starts from building at the same time. The end of the subshell releases it.
  (
    umask "$given_umask"
    mkdir -p "$target" || exit 1
    if command -v flock >/dev/null 2>&1; then exec 9>"$target/.build-lock"; flock 9; fi
    up_to_date && exit 0
    command -v mvn >/dev/null 2>&1 || { echo "godwit: mvn is needed to build the distribution" >&2; exit 1; }
    echo "godwit: building the distribution and the load tool, this once and after changes of the sources"
    touch "$target/.build-begun"
    # The build does not remove files of an earlier build, so files that were deleted from conf would remain.
    rm -rf "$target"/quick/godwit-*/conf
    # Maven must run in the root, where third-party/ and .mvn/ are.
    set -o pipefail
    # Includes the load tool, so that perf.sh need not compile everything again.
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

# Prints the newest distribution that "mvn package" or this script has built. Compares the change times (ctime) of the
# jars, because the build sets the same modification time for all of them.
find_built() {
  local newest
  newest=$(ls -tc "$root"/broker-dist/target/{,quick/}godwit-*/lib/*.jar 2>/dev/null | head -n 1)
  [ -n "$newest" ] && dirname "$(dirname "$newest")"
}

# Whether no source is newer than the last build, by this script or by hand. Files in conf do not matter, because the
# broker reads them from the checkout.
up_to_date() {
  local built reference
  built=$(find_built)
  [ -n "$built" ] || return 1
  reference=$(ls -tc "$built"/lib/*.jar "$root/broker-dist/target/.built" 2>/dev/null | head -n 1)
  [ -z "$(find "$root/pom.xml" "$root"/*/pom.xml "$root"/*/src/main \
    -newermc "$reference" -type f -print -quit 2>/dev/null)" ]
}

# Sets class_path to the jars, in an order that does not depend on the file system or the language. An archive of
# classes needs the same order on every machine.
find_class_path() {
  local LC_ALL=C
  local jars=("$dist"/lib/*.jar) IFS=:
  class_path=${jars[*]}
}

build_command() {
  find_class_path
  jvm=("$java" -Xss512k -XX:+ExitOnOutOfMemoryError)
  # JRaft's classes were generated by a protobuf older than 3.22; without this, the runtime logs a warning for each.
  jvm+=(-Dcom.google.protobuf.use_unsafe_pre22_gencode=true)
  # The broker never uses Java deserialization, so all classes are rejected, in case an attacker finds a way to trigger
  # it. JVM_OPTS comes later and can override this.
  jvm+=('-Djdk.serialFilter=!*')
  # Clients must not be able to repeat the TLS 1.2 handshake of the JDK again and again. BoringSSL never allows that.
  jvm+=(-Djdk.tls.rejectClientInitiatedRenegotiation=true)
  # Names of seeds are looked up every three seconds, because a node may return with another address; the JVM's default
  # is to cache them for thirty. The JVM's security property networkaddress.cache.ttl has precedence.
  jvm+=(-Dsun.net.inetaddr.ttl=3)
  # Returns memory to the system after a burst: the heap a minute after the last collection. MALLOC_MMAP_THRESHOLD_,
  # below, does the same for large buffers as soon as they are freed.
  jvm+=(-XX:G1PeriodicGCInterval=60000)
  # glibc keeps memory that the JVM's compilers and RocksDB have freed: 15 of 175 MB in a fresh broker. Returning it to
  # the system takes less than a millisecond each time, on a separate thread.
  ! trims_native_heap || jvm+=(-XX:TrimNativeHeapInterval=10000)
  # Objects that survive two collections belong to sessions, connections or indexes, which live long. Copying them up to
  # fifteen times, the default, makes every pause longer.
  jvm+=(-XX:MaxTenuringThreshold=2)
  # Netty tracks one of this many buffers to detect leaks. With its default, 128, recording the stacks costs about 3 %
  # of the CPU at a low rate.
  jvm+=(-Dio.netty.leakDetection.samplingInterval=4096)
  # Error messages of the system must be in English: by their text the broker distinguishes a lack of file descriptors
  # from damage.
  if [ -n "${LC_ALL:-}" ]; then
    export LANG=$LC_ALL
    unset LC_ALL
  fi
  export LC_MESSAGES=C
  export MALLOC_MMAP_THRESHOLD_="${MALLOC_MMAP_THRESHOLD_:-131072}"
  # The signal by which the JVM suspends a thread to sample its stack, for JFR. The default is SIGUSR2, for which JRaft
  # installs its own handler: JFR would see no running threads, and each sample would make JRaft dump its state. Signal
  # 38 is a real-time signal that nothing else uses.
  export _JAVA_SR_SIGNUM="${_JAVA_SR_SIGNUM:-38}"
  # These JVMs warn of methods that JCTools, which has the queues of Netty, still needs.
  access=()
  [ "$java_version" -lt 24 ] || access+=(--sun-misc-unsafe-memory-access=allow)
  if [ "$java_version" -ge 25 ]; then
    access+=(--enable-native-access=ALL-UNNAMED -XX:+UseCompactObjectHeaders)
  fi
  jvm+=(${access[@]+"${access[@]}"})
  # The JVM takes percentages of the cgroup's memory limit if there is one.
  # -d '': the options may be on several lines.
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
# The archive holds classes in the form in which the JVM maps them into memory. Most of the time of a start goes into
# finding, verifying and linking classes. Up to Java 24 it is an archive for class-data sharing, from 25 on an AOT
# cache, which also has linked classes and profiles of methods. A training run creates it: a broker that runs briefly
# on an empty directory and is its own client (io.godwit.broker.Training). The same directory has the library of
# RocksDB, which otherwise every start extracts from its jar.
#
# No start depends on the archive. Its name is derived from what it was made of, so an archive that does not fit is not
# found, or the JVM ignores it silently. It is created under another name and renamed once it is complete. A lock
# prevents others from creating the same archive at the same time.

# Whether the JVM can use our archive: no option may name another archive or be incompatible with one.
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

# Sets fit to the options that must be the same for the archive and the broker, and fit_key to a text that differs if
# they differ in a way that matters.
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
  # The JVM compresses references in heaps below 32 GiB. Only this matters, not the exact size.
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

# Sets archive to the path of the archive for this JVM, these jars and options, whether the file exists or not; to
# nothing if no archive is possible. Sets cache to its directory, and libraries to that of RocksDB's library.
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
  # For our own jars, the name includes the content: builds set the same time for all of them, and a changed jar may
  # have the same size.
  name=$( {
    printf '%s\n' "$java_home" "$java_build" "$fit_key" "$class_path"
    stat -L -c '%n %s %Y' "$java_home"/lib/server/libjvm.so "$dist"/lib/*.jar
    cat "$dist"/lib/*-"$release"
  } 2>/dev/null | sha256sum) || return 0
  name=broker-$java_version-${name:0:20}.$kind
  # The archive is stored beside the jars, for all users. If that directory is not writable, it is stored in the user's
  # cache, where nobody else may write.
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
    case $directory in *[:,]*) continue ;; esac # the JVM treats these characters specially
    # Root runs no code from a directory of another user, such as the cache of a package, which is the broker's.
    [ "$EUID" != 0 ] || [ ! -e "$directory" ] || [ -O "$directory" ] || continue
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

# Whether files can be created in the directory $1, which need not exist. For root the directory must be root's.
may_write() {
  local each=$1
  while [ ! -e "$each" ]; do each=$(dirname "$each"); done
  [ -d "$each" ] && [ -w "$each" ] && { [ "$EUID" != 0 ] || [ -O "$each" ]; }
}

# Adds the options to use the archive, if there is one. Logging options in JVM_OPTS come later and have precedence.
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

# Whether the JVM accepts the archive $1. Sets refusal to the JVM's reason if not.
fits() {
  local demand=(-Xshare:on "-XX:SharedArchiveFile=$1")
  [ "$java_version" -lt 25 ] || demand=(-XX:AOTMode=on "-XX:AOTCache=$1")
  refusal=$("$java" ${access[@]+"${access[@]}"} ${fit[@]+"${fit[@]}"} -Xms16m "${demand[@]}" \
    -cp "$class_path" -version 2>&1 </dev/null)
}

# Creates the archive at low priority, and prints the result in one line. Returns 0 if the archive exists now or another
# process creates it. Must be called in a subshell, whose end removes temporary files.
make_archive() {
  local since=$SECONDS training size reason
  umask "$given_umask" # other users of these jars use the archive, too
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
    # This kind of archive has no profiles of methods, so the compiler that collects them is not needed.
    training=("-XX:ArchiveClassesAtExit=$made" -XX:TieredStopAtLevel=1)
  fi
  renice -n 19 -p "$BASHPID" >/dev/null 2>&1
  # 8>&-: the process must not keep the lock if it outlives this shell.
  "$java" ${access[@]+"${access[@]}"} ${fit[@]+"${fit[@]}"} -Xss512k -Xms32m "${training[@]}" \
    -Dcom.google.protobuf.use_unsafe_pre22_gencode=true '-Djdk.serialFilter=!*' "-Dgodwit.log.dir=$work/log" \
    "-Dlogback.configurationFile=$root/conf/logback.xml" -cp "$class_path" \
    io.godwit.broker.Training "$work" "$libraries" >"$work/out" 2>&1 </dev/null 8>&- ||
    rm -f "$made" # a failed run leaves an incomplete archive
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
  # Removes archives of earlier builds and JVMs. A broker that still uses one has it open.
  # The name patterns are strict, because GODWIT_CACHE may name a directory with other files.
  find "$cache" -maxdepth 1 -type f -mtime +60 \
    \( -name 'broker-[1-9]*-????????????????????.jsa' -o -name 'broker-[1-9]*-????????????????????.aot' \
    -o -name 'broker-[1-9]*-????????????????????.*.none' \) -delete 2>/dev/null
  size=$(stat -c %s "$archive")
  echo "godwit: archive of classes made in $((SECONDS - since)) s, $((size >> 20)) MiB: $archive"
}

# Creates the archive in the background if the broker with pid $1, which serves, could not use one. The result goes to
# the log of the start.
train() {
  local available
  [ -n "$archive" ] && [ "${GODWIT_TRAINING:-}" != off ] && [ ! -e "$archive.none" ] || return 0
  if [ -n "$uses_archive" ]; then
    # If the JVM uses the archive, it has mapped the file.
    grep -qF "$archive" "/proc/$1/maps" 2>/dev/null && return 0
  fi
  # Skips the training if less than 1 GiB of memory is available: others may need it.
  available=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo 2>/dev/null)
  [ "${available:-1048576}" -ge 1048576 ] || return 0
  (
    # The existing archive may be good, and the broker may have had another reason not to use it.
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

# Whether a broker could start with the configuration. Prints the mistakes, or sets values to the list of values.
check() {
  local option output
  build_command
  local checker=()
  for option in "${jvm[@]}"; do
    case $option in
      # Leaves out options that listen, write files or allocate memory: a broker may be running with the same options.
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
  values=$(grep '^godwit:   ' <<<"$output") || true # the list may be empty
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

# Stops the running broker only after Java, a build and a valid configuration have been found.
restart() {
  keep_options
  find_java
  find_distribution
  check || die "not restarted"
  announce_start
  stop && run
}

# suspect is an archive with which the JVM has failed, while a start without it is tried. asked_cache is the value of
# GODWIT_CACHE before that.
suspect=
asked_cache=

# Reads a status file from standard input, and prints a line for each thing that the broker waits for.
waits() {
  sed -n -e 's/^waiting=/waits for /p' -e 's/^store=\([^ ]*\) STARTING /store \1 waits for /p' \
    -e 's/^store=\([^ ]*\) NO_QUORUM /store \1 has ranges that nobody serves: /p'
}

# Prints what a start waits for, unless that was printed before. Called first after five seconds.
print_wait() {
  local now
  now=$(waits 2>/dev/null <"$status_file")
  if [ -n "$now" ] && [ "$now" != "$told" ]; then
    told=$now
    printf 'godwit: %s\n' "${now//$'\n'/$'\n'godwit: }"
  fi
}

# Runs the distribution in dist.
run() {
  local pid begun state remembers= waited=0 told=
  if [ "$log" != - ]; then
    make_directory "$log"
    begun=$log/start.log
    write_file "$begun" '' # removes the output of an earlier start
  fi
  ulimit -n "$(ulimit -Hn)" 2>/dev/null
  build_command
  # The file is from a process that has ended. It must be removed because the new process may get the same pid: in a
  # container the pid is the same each time.
  [ ! -f "$status_file" ] || rm -f "$status_file"
  if [ -n "$foreground" ]; then
    remember_options
    exec "${jvm[@]}"
  fi
  # ">>", because the training also appends to the file.
  nohup "${jvm[@]}" >>"$begun" 2>&1 </dev/null &
  pid=$!
  announced=$pid
  { printf '%s' "$pid" >"$starting_file"; } 2>/dev/null
  disown "$pid" 2>/dev/null
  while :; do
    read_state "$pid"
    if [ -n "$state" ] && [ -z "$remembers" ]; then # it has locked the data directory
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
      if [ -n "$suspect" ]; then # the archive was the cause: a new one is created
        rm -f "$suspect"
        GODWIT_CACHE=$asked_cache
        find_archive
      fi
      train "$pid"
      return 0
    fi
    if ! kill -0 "$pid" 2>/dev/null; then
      # If the JVM itself has failed, the archive may be the cause: the disk may have damaged its content.
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
    if [ "$waited" -gt $((10#$start_timeout * 50)) ]; then
      told=
      print_wait >&2
      kill "$pid"
      die "not ready after $start_timeout s, see $log"
    fi
    pause
  done
}

# Asks the broker to send its clients away and to end. Returns 0 if it has ended or there is nothing to drain; 1 if it
# does not accept the request or takes too long, and must be stopped without a drain.
drain() {
  local pid state since=$SECONDS
  pid=$(running_pid) || return 0
  read_state "$pid"
  case $state in
    stopping) die "pid $pid stops already; stop without --drain ends it at once" ;;
    ready|degraded) ;;
    *) return 0 ;; # it does not serve yet, so it has no clients
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
  # The file is read only once, because the broker may replace it in between.
  report=$(cat "$status_file" 2>/dev/null)
  state=$(sed -n 's/^state=//p' <<<"$report")
  # A broker touches the file every ten seconds.
  age=$(($(date +%s) - $(stat -c %Y "$status_file" 2>/dev/null || date +%s)))
  if [ "$age" -gt 40 ]; then
    state="not moving for $age s, was ${state:-starting}"
  else
    # A process that a signal has suspended is detected at once.
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
