#!/usr/bin/env bash
# standalone.sh: runs one Godwit broker. See usage() below.
# In a source checkout it builds the distribution when that is missing or older than the sources; in an unpacked
# distribution it runs what lies beside it. All state of a broker is in its data directory, so several run side by side.
set -u

usage() {
  cat <<'TXT'
usage: standalone.sh start|stop|restart|status|check|version [options]

  start     starts the broker in the background; returns 0 once it serves, else prints why not; 4 when it runs but
            cannot write (disk nearly full)
  stop      stops accepting, finishes what is under way, ends the process; also ends a start that is under way
  restart   stop, then start, with the configuration and log of the last start unless others are given; only when check
            finds nothing, and what has to be built is built before the stop
  status    tells whether it runs, where it listens and how its stores are; 0 when it serves, 3 when it does not run,
            4 when it runs but does not (fully) serve, or has not moved for 40 seconds
  check     reads the configuration and what it names (certificates, users, rules, plugins), beside a broker that may be
            running; 0 when one could start with it, else tells every mistake
  version   tells the release, and the Java it would run on

  -f, --foreground   with start: stay in the foreground (containers, systemd)
  --config FILE      configuration (default conf/standalone.yml)
  --data DIR         data directory (default data); holds godwit.pid
  --log DIR          log directory (default log); with -f, "-" is the console

environment: JAVA_HOME       the JDK or JRE to use, 17 or newer (default: java on the PATH)
             JVM_HEAP_OPTS   heap (default: half of the memory limit of the cgroup or machine)
             JVM_OPTS        further options, such as -Dinbox_store_initial_ranges=8
TXT
}

die() { echo "godwit: $*" >&2; exit 1; }

# It may be called through a symbolic link.
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd -P)
root=$(dirname "$here")

command=${1:-}
[ $# -gt 0 ] && shift
foreground=
config= data= log=
while [ $# -gt 0 ]; do
  case $1 in
    -f|--foreground) foreground=1 ;;
    --config|--data|--log)
      [ $# -ge 2 ] && [ -n "$2" ] || die "$1 needs a value"
      printf -v "${1#--}" '%s' "$2"
      shift ;;
    -h|--help) usage; exit 0 ;;
    *) usage >&2; echo "godwit: unknown option: $1" >&2; exit 2 ;;
  esac
  shift
done

# Both say why not, as the system does: what stands behind the last colon.
make_directory() {
  local why
  why=$(mkdir -p "$1" 2>&1) || die "cannot create $1: ${why##*: }"
}

write_file() {
  local why
  why=$( { printf '%s' "$2" >"$1"; } 2>&1 ) || die "cannot write to $(dirname "$1"): ${why##*: }"
}

absolute() { case $1 in /*) printf '%s' "$1" ;; *) printf '%s/%s' "$PWD" "$1" ;; esac; }
given_config=$config
given_log=$log
config=$(absolute "${config:-$root/conf/standalone.yml}")
data=$(absolute "${data:-$root/data}")
[ "$log" = - ] || log=$(absolute "${log:-$root/log}")
case $command in
  start|restart) [ "$log" != - ] || [ -n "$foreground" ] || die "the console as the log needs -f" ;;
esac
pid_file=$data/godwit.pid
status_file=$data/godwit.status
# The pid of a start under way: of this script while it builds, then of the broker, which removes the file once it has its pid file.
starting_file=$data/godwit.starting
# What the last start was given, for a restart: lines config=, log=.
options_file=$data/godwit.options

# Whether $1 is the pid of a process whose command line has $2. The latter guards against a stale file whose number now belongs
# to another program.
is_alive() {
  [ -n "$1" ] && kill -0 "$1" 2>/dev/null && tr '\0' ' ' 2>/dev/null <"/proc/$1/cmdline" | grep -q "$2"
}

# The pid of the running broker of this data directory; nothing when there is none. Both files are the broker's: one may be lost.
running_pid() {
  local pid
  pid=$(cat "$pid_file" 2>/dev/null)
  if ! is_alive "$pid" 'io\.godwit\.broker\.Main'; then
    # One that was killed leaves its status: its number may be another broker's by now.
    pid=$(sed -n 's/^pid=//p' "$status_file" 2>/dev/null)
    is_alive "$pid" 'io\.godwit\.broker\.Main' && tr '\0' '\n' <"/proc/$pid/cmdline" | grep -qxF -e "$data" || return 1
  fi
  printf '%s' "$pid"
}

# The pid of a start that is under way and is not this one.
starting_pid() {
  local pid
  pid=$(cat "$starting_file" 2>/dev/null) || return 1
  [ "$pid" != $$ ] && is_alive "$pid" 'io\.godwit\.broker\.Main\|standalone\.sh' && printf '%s' "$pid"
}

# Tells stop and status of this start, until the script ends or a broker has taken over.
announce_start() {
  make_directory "$data"
  trap end_announcement EXIT
  announced=$$
  write_file "$starting_file" $$
}

end_announcement() {
  [ "$(cat "$starting_file" 2>/dev/null)" = "$announced" ] && rm -f "$starting_file"
}

# Whether process $1 has ended, and with it the last of its threads, which may hold files until then. For kill it is there
# until its parent has taken note, and in a container the parent may be one that never does.
has_ended() {
  local stat threads
  { read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 0
  threads=("/proc/$1/task/"*)
  case ${stat##*) } in
    Z* | X*) [ ${#threads[@]} -le 1 ] ;;
    *) return 1 ;;
  esac
}

# The state that the process $1 tells of itself, in state; empty when it tells none yet. No process is started for it: a start
# looks twenty times a second, on a machine that is busy with that start.
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

remembered() { sed -n "s/^$1=//p" "$options_file" 2>/dev/null | head -n 1; }

# For the next restart. A disk that is full keeps nobody from starting.
remember_options() {
  { printf 'config=%s\nlog=%s\n' "$config" "$log" >"$options_file.next" && mv "$options_file.next" "$options_file"; } 2>/dev/null
}

# Takes over what the last start was given. The JVM's options are the environment's: they are not taken over, but missed.
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

find_java() {
  java=${JAVA_HOME:+$JAVA_HOME/bin/}java
  command -v "$java" >/dev/null 2>&1 || die "no $java: install a JDK 17 or newer, or set JAVA_HOME"
  java_version=
  [ -n "${JAVA_HOME:-}" ] && java_version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$JAVA_HOME/release" 2>/dev/null)
  [ -n "$java_version" ] || java_version=$("$java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p' | head -n 1)
  [ "${java_version:-0}" -ge 17 ] 2>/dev/null || die "$java is version ${java_version:-unknown}; 17 or newer is needed"
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
    mkdir -p "$target" || exit 1
    if command -v flock >/dev/null 2>&1; then exec 9>"$target/.build-lock"; flock 9; fi
    up_to_date && exit 0
    command -v mvn >/dev/null 2>&1 || { echo "godwit: mvn is needed to build the distribution" >&2; exit 1; }
    echo "godwit: building the distribution (once, and after changes)"
    touch "$target/.build-begun"
    # The build adds to what an earlier one has laid out: what is gone from conf would stay.
    rm -rf "$target"/quick/godwit-*/conf
    # From the root: third-party/ and .mvn/ are found there.
    if ! (cd "$root" && mvn -q -B -Dquick -DskipTests -pl broker-dist -am package) >"$target/.build-log" 2>&1 </dev/null; then
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

# The newest of what "mvn package" and this script have built. By the time of change of the jars: the build gives all of them
# the same time of modification.
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

build_command() {
  jvm=("$java" -Xss512k -XX:+ExitOnOutOfMemoryError)
  # JRaft's generated classes predate protobuf 3.22, which the runtime would remark on at each class.
  jvm+=(-Dcom.google.protobuf.use_unsafe_pre22_gencode=true)
  # A client may not make the JDK's TLS 1.2 shake hands again and again; BoringSSL allows it never.
  jvm+=(-Djdk.tls.rejectClientInitiatedRenegotiation=true)
  # Memory of a burst goes back to the system: a collection a minute after the last one, large buffers at once (glibc).
  jvm+=(-XX:G1PeriodicGCInterval=60000)
  export MALLOC_MMAP_THRESHOLD_="${MALLOC_MMAP_THRESHOLD_:-131072}"
  # These JVMs warn of what JCTools, the queues of Netty, cannot do without yet.
  [ "$java_version" -lt 24 ] || jvm+=(--sun-misc-unsafe-memory-access=allow)
  if [ "$java_version" -ge 25 ]; then
    jvm+=(--enable-native-access=ALL-UNNAMED -XX:+UseCompactObjectHeaders)
  fi
  # The JVM takes percentages of the cgroup's limit where there is one.
  # -d '': options may stand on several lines.
  read -r -d '' -a heap <<<"${JVM_HEAP_OPTS:--XX:MaxRAMPercentage=50}"
  read -r -d '' -a extra <<<"${JVM_OPTS:-}"
  jvm+=(${heap[@]+"${heap[@]}"} ${extra[@]+"${extra[@]}"})
  [ "$log" = - ] && jvm+=(-Dgodwit.log.to=console) || jvm+=("-Dgodwit.log.dir=$log")
  jvm+=("-Dlogback.configurationFile=$root/conf/logback.xml" -cp "$dist/lib/*"
    io.godwit.broker.Main --config "$config" --data "$data" --plugins "$root/plugins")
}

# Whether a broker could start with the configuration; tells what is wrong with it.
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
        checker+=(-XX:TieredStopAtLevel=1 -Dlogback.configurationFile=io/godwit/broker/logback-check.xml "$option" --check) ;;
      *) checker+=("$option") ;;
    esac
  done
  if ! output=$("${checker[@]}" 2>&1 </dev/null); then
    print_fault "$output"
    return 1
  fi
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

# Runs the distribution found.
run() {
  local pid begun state remembers= waited=0
  if [ "$log" != - ]; then
    make_directory "$log"
    begun=$log/start.log
    write_file "$begun" '' # nothing of an earlier start
  fi
  ulimit -n "$(ulimit -Hn)" 2>/dev/null
  build_command
  if [ -n "$foreground" ]; then
    remember_options
    exec "${jvm[@]}"
  fi
  rm -f "$status_file" # of a process that is no more: nobody runs here
  nohup "${jvm[@]}" >"$begun" 2>&1 </dev/null &
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
    if [ "$state" = degraded ]; then
      print_ready
      sed -n 's/^store=/godwit: store /p' "$status_file" >&2
      echo "godwit: pid $pid runs, but does not fully serve" >&2
      return 4
    fi
    if [ "$state" = ready ]; then
      print_ready
      echo "godwit: started, pid $pid, data in $data, log in $log"
      return 0
    fi
    if ! kill -0 "$pid" 2>/dev/null; then
      print_fault "$(cat "$begun")"
      die "did not start"
    fi
    waited=$((waited + 1))
    if [ "$waited" -gt $((${GODWIT_START_TIMEOUT_SECONDS:-600} * 20)) ]; then
      kill "$pid"
      die "not ready after ${GODWIT_START_TIMEOUT_SECONDS:-600} s, see $log"
    fi
    sleep 0.05
  done
}

stop() {
  local pid waited=0 stopped=
  while pid=$(starting_pid) || pid=$(running_pid); do
    kill "$pid"
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
  [ "$age" -le 40 ] || state="not moving for $age s, was ${state:-starting}"
  echo "godwit: pid $pid, ${state:-starting}"
  sed -n -e 's/^listen=/godwit: listening on /p' -e 's/^warning=/godwit: warning: /p' \
    -e 's/^store=/godwit: store /p' -e 's/^events=/godwit: events since the start: /p' <<<"$report"
  [ "$state" = ready ] || return 4
}

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
    echo "godwit: a broker could start with $config" ;;
  version|-V|--version) version ;;
  -h|--help|help) usage ;;
  '') usage >&2; exit 2 ;;
  *) usage >&2; echo "godwit: unknown command: $command" >&2; exit 2 ;;
esac
