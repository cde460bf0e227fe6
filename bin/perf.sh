#!/usr/bin/env bash
# perf.sh: puts an MQTT broker under load. See "perf.sh --help" and docs/perf.md.
# In a source checkout it builds the load tool if that is missing or older than its sources. In a distribution it runs
# the load tool of that distribution. "cluster" starts brokers of the same build. "jmh [PATTERN]", "sessions",
# "offline", "idle" and "allocation" run benchmarks of parts of this broker; they need a source checkout.
set -u

die() { echo "perf.sh: $*" >&2; exit 1; }

# The script may be called through a symbolic link.
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd -P)
root=$(dirname "$here")

java=${JAVA_HOME:+$JAVA_HOME/bin/}java
if ! command -v "$java" >/dev/null 2>&1; then
  [ -z "${JAVA_HOME:-}" ] ||
    die "JAVA_HOME is set to $JAVA_HOME, but $java cannot be run: correct JAVA_HOME or unset it"
  die "no java on the PATH: install a JDK 17 or newer, or set JAVA_HOME"
fi
java_version=$("$java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p' | head -n 1)
[ "${java_version:-0}" -ge 17 ] 2>/dev/null || die "$java is version ${java_version:-unknown}; 17 or newer is needed"

command=${1:-}

# Prints the newest lib directory that "mvn package" or this script has built. Compares the change times (ctime) of the
# jars, because the build sets the same modification time for all of them.
find_built() {
  local newest
  newest=$(ls -tc "$root"/broker-dist/target/{,quick/}godwit-*/lib/perf/perf-*.jar 2>/dev/null | head -n 1)
  [ -n "$newest" ] && dirname "$(dirname "$newest")"
}

# Reads the output of Maven and prints each module that the build begins.
print_modules() {
  local line
  while IFS= read -r line; do
    if [[ $line =~ \]\ Building\ ([^ ]+)\ .*\[([0-9]+/[0-9]+)\]$ ]]; then
      echo "perf.sh: module ${BASH_REMATCH[2]}: ${BASH_REMATCH[1]}" >&2
    fi
  done
}

# Whether no source of the load tool is newer than the last build; for "cluster", also no source of the broker.
up_to_date() {
  local built reference sources=("$root/pom.xml" "$root/perf/pom.xml" "$root/perf/src/main")
  built=$(find_built)
  [ -n "$built" ] || return 1
  reference=$(ls -tc "$built"/perf/perf-*.jar "$root/broker-dist/target/.perf-built" 2>/dev/null | head -n 1)
  [ "$command" != cluster ] || sources+=("$root"/*/pom.xml "$root"/*/src/main "$root/bin" "$root/conf")
  [ -z "$(find "${sources[@]}" -newermc "$reference" -type f -print -quit 2>/dev/null)" ]
}

# The main class of a benchmark; empty for commands of the load tool.
benchmark=
case $command in
  jmh) benchmark=org.openjdk.jmh.Main ;;
  sessions) benchmark=io.godwit.broker.MillionSessions ;;
  offline) benchmark=io.godwit.broker.OfflineSessions ;;
  idle) benchmark=io.godwit.perf.IdleConnections ;;
  allocation) benchmark=io.godwit.broker.SteadyAllocation ;;
esac

# Builds the benchmarks and runs one. The build depends on the sources of all modules, because these are measured.
run_benchmark() {
  local built=$root/perf/target/quick
  shift
  [ -f "$root/pom.xml" ] || die "benchmarks need a source checkout"
  (
    mkdir -p "$root/broker-dist/target" || exit 1
    if command -v flock >/dev/null 2>&1; then exec 9>"$root/broker-dist/target/.build-lock"; flock 9; fi
    reference=$root/perf/target/.benchmarks-built
    [ -f "$reference" ] && [ -d "$built/benchmarks" ] &&
      [ -z "$(find "$root/pom.xml" "$root"/*/pom.xml "$root"/*/src/main "$root/perf/src/test" \
        -newermc "$reference" -type f -print -quit 2>/dev/null)" ] && exit 0
    command -v mvn >/dev/null 2>&1 || { echo "perf.sh: mvn is needed to build benchmarks" >&2; exit 1; }
    echo "perf.sh: building the benchmarks, this once and after changes of the sources" >&2
    mkdir -p "$root/perf/target" && touch "$reference.begun"
    rm -rf "$built/benchmarks"
    set -o pipefail
    if ! (cd "$root" && mvn -B -ntp -Dquick -Dbenchmarks -DskipTests -pl perf -am package 2>&1 </dev/null) |
      tee "$root/perf/target/.benchmarks-log" | print_modules; then
      grep ERROR "$root/perf/target/.benchmarks-log" | head -n 20 >&2
      echo "perf.sh: the build failed, see $root/perf/target/.benchmarks-log" >&2
      exit 1
    fi
    mv "$reference.begun" "$reference"
  ) || exit 1
  # JMH passes the options of this JVM to the JVMs that it starts.
  exec "${jvm[@]}" -cp "$built/test-classes:$built/benchmarks/*" "$benchmark" "$@"
}

lib=$root/lib
if [ -z "$benchmark" ] && [ -f "$root/pom.xml" ]; then
  target=$root/broker-dist/target
  # standalone.sh uses the same lock, because it builds in the same directory. The end of the subshell releases it.
  (
    mkdir -p "$target" || exit 1
    if command -v flock >/dev/null 2>&1; then exec 9>"$target/.build-lock"; flock 9; fi
    up_to_date && exit 0
    command -v mvn >/dev/null 2>&1 || { echo "perf.sh: mvn is needed to build it" >&2; exit 1; }
    echo "perf.sh: building, this once and after changes of the sources" >&2
    touch "$target/.perf-begun"
    set -o pipefail
    # Maven must run in the root, where third-party/ and .mvn/ are.
    if ! (cd "$root" && mvn -B -ntp -Dquick -DskipTests -pl perf -am package 2>&1 </dev/null) |
      tee "$target/.perf-log" | print_modules; then
      grep ERROR "$target/.perf-log" | head -n 20 >&2
      echo "perf.sh: the build failed, see $target/.perf-log" >&2
      exit 1
    fi
    mv "$target/.perf-begun" "$target/.perf-built"
  ) || exit 1
  lib=$(find_built)
  [ -n "$lib" ] || die "the build left no load tool in $target"
fi
[ -n "$benchmark" ] || [ -d "$lib/perf" ] ||
  die "no $lib/perf: this distribution was built without the load tool (mvn package builds it all)"

# If memory runs out, a signal kills the JVM, which gives the exit code 137. The JVM's own code for this, 3, means lost
# messages here.
jvm=("$java" -Xss512k '-Djdk.serialFilter=!*' "-XX:OnOutOfMemoryError=kill -9 %p"
  -Dlogback.configurationFile=io/godwit/perf/logback-perf.xml)
# The distribution from which "cluster" starts brokers.
[ -n "$benchmark" ] || jvm+=("-Dperf.distribution=$(dirname "$lib")")
if [ "$java_version" -ge 24 ]; then
  # JCTools, which has the queues of Netty, still needs these.
  jvm+=(--sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED)
fi
[ -t 1 ] && jvm+=(-Dperf.terminal=true)
# -d '': the options may be on several lines.
read -r -d '' -a heap <<<"${JVM_HEAP_OPTS:--XX:MaxRAMPercentage=25}"
read -r -d '' -a extra <<<"${JVM_OPTS:-}"
jvm+=(${heap[@]+"${heap[@]}"} ${extra[@]+"${extra[@]}"})
ulimit -n "$(ulimit -Hn)" 2>/dev/null

if [ -n "$benchmark" ]; then
  # The options that standalone.sh gives to a broker.
  jvm+=(-Dcom.google.protobuf.use_unsafe_pre22_gencode=true)
  [ "$java_version" -lt 25 ] || jvm+=(-XX:+UseCompactObjectHeaders)
  run_benchmark "$@"
fi
exec "${jvm[@]}" -cp "$lib/perf/*:$lib/*" io.godwit.perf.Main "$@"
