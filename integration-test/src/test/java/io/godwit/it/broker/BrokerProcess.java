package io.godwit.it.broker;

import io.godwit.testing.Await;
import io.godwit.testing.Pace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The packaged broker as a process, through its own start script: {@code bin/standalone.sh} of the distribution that
 * broker-dist has built (the system property {@code godwit.distribution}). Everything it writes lies under one
 * directory of the caller's: {@code data}, {@code log}, its configuration file and what the script prints.
 */
public final class BrokerProcess implements Broker {
    /** As the start script makes them: a directory that others may enter is warned of. */
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private static final String HEAP = "-Xms64m -Xmx512m";
    /** Most of these brokers live for seconds: measured, without the second compiler their start takes half the CPU. */
    public static final String SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

    /** Snapshots of the load here take a few milliseconds to some ten, as the disk is. */
    private static final long LONG_SNAPSHOT_NANOS = TimeUnit.MILLISECONDS.toNanos(40);

    private final Path home;
    private Path data;
    private InetSocketAddress address;
    /** Words before each command. */
    private List<String> prefix = List.of();

    private final Map<String, String> mqtt = new LinkedHashMap<>();
    private final List<String> tcpListeners = new ArrayList<>();
    private final Map<String, String> topLevel = new LinkedHashMap<>();
    private final List<String> jvmOptions = new ArrayList<>(List.of(SHORT_LIVED));
    private final Map<String, String> environment;
    /** 0 for what this process may. */
    private int maxOpenFiles;

    private boolean isFounder = true;
    /** Where {@code bin}, {@code lib} and {@code plugins} are. */
    private Path installation = distribution();

    private @Nullable Process script;

    /** @param home a directory, made if need be; a broker that was there before is continued */
    public BrokerProcess(Path home) throws IOException {
        this(home, ClassArchive.environment());
    }

    /** @param environment of the start script, more of it by {@link #environment} */
    BrokerProcess(Path home, Map<String, String> environment) throws IOException {
        this.environment = new LinkedHashMap<>(environment);
        this.home = Files.createDirectories(home);
        this.data = home.resolve("data");
        this.address = Ports.free();
        mqtt.put("maxConnBandwidth", "0");
        topLevel.put("apiServerConfig", "{enable: false}"); // it has one port, and many brokers run at a time
    }

    /** The distribution that the build has laid out. */
    public static Path distribution() {
        String given = System.getProperty("godwit.distribution");
        if (given != null) {
            return Path.of(given);
        }
        Path targets = Path.of("../broker-dist/target");
        try (DirectoryStream<Path> found = Files.newDirectoryStream(targets, "godwit-*")) {
            for (Path each : found) {
                if (Files.isDirectory(each)) {
                    return each;
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException("no distribution below " + targets.toAbsolutePath(), e);
        }
        throw new IllegalStateException("no distribution below " + targets.toAbsolutePath());
    }

    /**
     * Runs where its network is another: a network namespace.
     *
     * @param words to be put before each command
     * @param host where it listens there
     */
    public BrokerProcess inNetwork(List<String> words, String host) {
        prefix = List.copyOf(words);
        address = new InetSocketAddress(host, address.getPort());
        return this;
    }

    /** Whether it runs where its network is another. */
    public boolean isInNetwork() {
        return !prefix.isEmpty();
    }

    /** A key of {@code mqttServerConfig} for the next start. */
    public BrokerProcess mqttSetting(String key, Object value) {
        mqtt.put(key, value.toString());
        return this;
    }

    /** One more listener for plain TCP, as YAML. */
    public BrokerProcess listener(String yaml) {
        tcpListeners.add(yaml);
        return this;
    }

    /** A key of the configuration's top level for the next start; the value is YAML. */
    public BrokerProcess setting(String key, String yaml) {
        topLevel.put(key, yaml);
        return this;
    }

    /** Told not to begin a cluster. */
    public BrokerProcess joining() {
        isFounder = false;
        return this;
    }

    /** Runs out of another directory than the distribution, such as one with plugins. */
    public BrokerProcess installedIn(Path directory) {
        installation = directory;
        return this;
    }

    /** Told that it may begin a cluster, as it is by default. */
    public BrokerProcess founding() {
        isFounder = true;
        return this;
    }

    /** Runs {@code bin/godwit-admin} on this broker's data; returns its exit code. Its output goes to {@code out}. */
    public int admin(Path out, String... command) throws IOException {
        List<String> words = new ArrayList<>(List.of(command));
        words.addAll(List.of("--data", data().toString()));
        return adminAnywhere(out, words.toArray(String[]::new));
    }

    /** As {@link #admin}, but for the data: the words say what it is about. */
    public int adminAnywhere(Path out, String... command) throws IOException {
        return exitCode(
                adminProgram(command)
                        .redirectErrorStream(true)
                        .redirectOutput(out.toFile())
                        .start(),
                Duration.ofMinutes(2));
    }

    /**
     * As {@link #adminAnywhere}, with what goes to standard error in a file of its own: JSON is alone in the other
     * then.
     */
    public int adminApart(Path out, Path err, String... command) throws IOException {
        return exitCode(
                adminProgram(command)
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .start(),
                Duration.ofMinutes(2));
    }

    private ProcessBuilder adminProgram(String... command) {
        List<String> words = new ArrayList<>(prefix);
        words.add(installation.resolve("bin/godwit-admin").toString());
        words.addAll(List.of(command));
        ProcessBuilder builder = new ProcessBuilder(words);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        return builder;
    }

    /** A system property for the next start. */
    public BrokerProcess property(String name, Object value) {
        jvmOptions.removeIf(option -> option.startsWith("-D" + name + "="));
        jvmOptions.add("-D" + name + "=" + value);
        return this;
    }

    /** An option of the JVM for the next start. */
    public BrokerProcess jvmOption(String option) {
        jvmOptions.add(option);
        return this;
    }

    /** All connections that it opens pass a proxy at this port of the loopback address: SOCKS, or HTTP for gRPC. */
    public BrokerProcess throughProxy(int port) {
        return property("socksProxyHost", "127.0.0.1")
                .property("socksProxyPort", port)
                .property("socksNonProxyHosts", "")
                .property("https.proxyHost", "127.0.0.1")
                .property("https.proxyPort", port)
                .property("http.nonProxyHosts", "");
    }

    /** Runs as a broker that stays: for tests that look at its speed. */
    public BrokerProcess longLived() {
        jvmOptions.remove(SHORT_LIVED);
        return this;
    }

    /** Bounds the files that the process may have open, for the next start. */
    public BrokerProcess maxOpenFiles(int files) {
        maxOpenFiles = files;
        return this;
    }

    public BrokerProcess environment(String name, String value) {
        environment.put(name, value);
        return this;
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    public Path data() {
        return data;
    }

    /** Has its data somewhere else than below its home, such as on a disk of its own. */
    public BrokerProcess dataIn(Path directory) {
        data = directory;
        return this;
    }

    /** Lets it share the data directory of another. It must not be closed then: the process there is the other's. */
    public BrokerProcess onDataOf(BrokerProcess other) {
        data = other.data;
        return this;
    }

    public Path log() {
        return home.resolve("log");
    }

    @Override
    public void launch() throws IOException {
        launch(new String[0]);
    }

    /** @param more options of {@code start} */
    public void launch(String... more) throws IOException {
        Path config = home.resolve("standalone.yml");
        Files.createDirectories(data(), OWNER_ONLY);
        Files.createDirectories(log(), OWNER_ONLY);
        writeConfiguration();
        if (handle() == null) {
            Files.deleteIfExists(data().resolve("godwit.pid")); // that of a killed process
        }
        List<String> words = new ArrayList<>(List.of("start", "--config", config.toString()));
        words.addAll(List.of(more));
        script = run(words.toArray(String[]::new));
    }

    @Override
    public void awaitReady(Duration patience) throws IOException {
        Process starting = script;
        if (starting == null) {
            throw new IOException("not launched");
        }
        int code = exitCode(starting, patience);
        if (code != 0) {
            throw new IOException("start ended with " + code + ": " + said());
        }
        if (!Ports.accepts(address)) {
            throw new IOException("start ended with 0, but nothing listens at " + address + ": " + said());
        }
    }

    /** Runs {@code start} and returns its exit code. */
    public int tryStart() throws IOException {
        launch();
        return startEnded(Duration.ofSeconds(60));
    }

    /** The exit code of the {@code start} under way. */
    public int startEnded(Duration patience) throws IOException {
        return exitCode(script, patience);
    }

    /** The process that has just been launched, as soon as it has claimed its data; null when it ends before. */
    public @Nullable ProcessHandle launched() throws IOException {
        Process starting = script;
        Await looks = Await.atMost(Duration.ofSeconds(20));
        ProcessHandle broker;
        while ((broker = handle()) == null && starting != null && starting.isAlive()) {
            if (!looks.again()) {
                throw new IOException("no pid in " + data() + " after 20 s: " + said());
            }
        }
        return broker;
    }

    /** Runs {@code stop}, which drains. */
    public void stop() throws IOException {
        int code = exitCode(run("stop"), Duration.ofSeconds(60));
        if (code != 0) {
            throw new IOException("stop ended with " + code + ": " + said());
        }
    }

    /** Runs {@code status} and returns what it prints, whatever its exit code. */
    public String status() throws IOException {
        Path output = home.resolve("status.out");
        exitCode(run(output, "status"), Duration.ofSeconds(30));
        return Files.readString(output);
    }

    /** Runs {@code status} and returns its exit code: 0 when it serves, 4 when it does not (fully). */
    public int statusCode() throws IOException {
        return exitCode(run(home.resolve("status.out"), "status"), Duration.ofSeconds(30));
    }

    /** What the last {@code start}, {@code stop} or the like has printed so far. */
    public String printed() throws IOException {
        return Files.readString(home.resolve("script.out"));
    }

    /** Runs {@code archive} and returns what it prints, whatever its exit code. */
    public String makeArchive() throws IOException {
        Path output = home.resolve("archive.out");
        exitCode(run(output, "archive"), Duration.ofMinutes(4));
        return Files.readString(output);
    }

    @Override
    public void kill() throws IOException {
        Process starting = script;
        ProcessHandle broker = launched();
        if (broker != null) {
            Await looks = Await.atMost(Duration.ofSeconds(20));
            broker.destroyForcibly();
            while (!ProcStat.hasEnded(broker)) {
                if (!looks.again()) {
                    throw new IOException("pid " + broker.pid() + " outlives kill -9");
                }
            }
        }
        if (starting != null) {
            exitCode(starting, Duration.ofSeconds(20)); // it notices that its broker is gone
        }
    }

    /**
     * The running process, or null. After a loss of power the file may hold half a number, which is somebody else's.
     */
    public @Nullable ProcessHandle handle() throws IOException {
        try {
            String pid = Files.readString(data().resolve("godwit.pid")).strip();
            return pid.isEmpty()
                    ? null
                    : ProcessHandle.of(Long.parseLong(pid))
                            .filter(process -> !ProcStat.hasEnded(process))
                            .filter(process ->
                                    ProcStat.commandLine(process.pid()).contains("io.godwit.broker.Main"))
                            .orElse(null);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    @Override
    public void awaitRecovery() throws IOException {
        if (launched() == null) {
            throw new IOException("ended before it had its data: " + said());
        }
    }

    @Override
    public boolean freeze() throws IOException {
        try (Freezer freezer = new Freezer(running().pid())) {
            freezer.freeze();
        }
        return Ports.accepts(address); // the system does that for it
    }

    @Override
    public boolean freezeInSnapshot(double share, Duration patience) throws IOException {
        long giveUp = System.nanoTime() + patience.toNanos();
        long delay = (long) (share * LONG_SNAPSHOT_NANOS);
        List<Path> begun = snapshotsBegun();
        try (Freezer freezer = new Freezer(running().pid())) {
            while (System.nanoTime() < giveUp) {
                if (begun.stream().anyMatch(Files::exists)) {
                    Pace.passNanos(delay);
                    freezer.freeze();
                    if (begun.stream().anyMatch(Files::exists)) {
                        return true;
                    }
                    freezer.thaw(); // too late for this one
                    delay /= 2;
                }
                Pace.passNanos(200_000); // what is looked for takes a few milliseconds
            }
        }
        return false;
    }

    /** Each is there while a range takes a snapshot. */
    private List<Path> snapshotsBegun() throws IOException {
        try (Stream<Path> files = Files.find(data, 2, (path, attributes) -> attributes.isDirectory())) {
            return files.filter(path -> path.getFileName().toString().startsWith("range-"))
                    .map(range -> range.resolve("snapshot/temp"))
                    .toList();
        }
    }

    private ProcessHandle running() throws IOException {
        ProcessHandle broker = handle();
        if (broker == null) {
            throw new IOException("does not run: " + said());
        }
        return broker;
    }

    @Override
    public void close() throws IOException {
        kill();
    }

    /** What the start script has printed, and the end of the broker's log. */
    public String said() throws IOException {
        StringBuilder text = new StringBuilder();
        Path output = home.resolve("script.out");
        if (Files.exists(output)) {
            text.append(Files.readString(output));
        }
        if (Files.isDirectory(log())) {
            try (Stream<Path> files = Files.list(log())) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    List<String> lines = Files.readAllLines(file);
                    text.append("\n--- ").append(file.getFileName()).append('\n');
                    lines.subList(Math.max(0, lines.size() - 60), lines.size())
                            .forEach(line -> text.append(line).append('\n'));
                }
            }
        }
        return text.toString();
    }

    /** Writes the file with the settings as they are now, also while the broker runs. */
    public void writeConfiguration() throws IOException {
        Files.writeString(home.resolve("standalone.yml"), configuration());
    }

    private String configuration() {
        StringBuilder yaml = new StringBuilder("bootstrap: " + isFounder + "\nmqttServerConfig:\n");
        mqtt.forEach((key, value) ->
                yaml.append("  ").append(key).append(": ").append(value).append('\n'));
        yaml.append("  tcpListener:\n  - {host: ")
                .append(address.getAddress().getHostAddress())
                .append(", port: ")
                .append(address.getPort())
                .append("}\n");
        tcpListeners.forEach(listener -> yaml.append("  - ").append(listener).append('\n'));
        topLevel.forEach(
                (key, value) -> yaml.append(key).append(": ").append(value).append('\n'));
        return yaml.toString();
    }

    private Process run(String... command) throws IOException {
        return run(home.resolve("script.out"), command);
    }

    private Process run(Path output, String... command) throws IOException {
        List<String> words = new ArrayList<>(prefix);
        if (maxOpenFiles > 0) {
            words.addAll(List.of("bash", "-c", "ulimit -n " + maxOpenFiles + " && exec \"$@\"", "bash"));
        }
        words.add(installation.resolve("bin/standalone.sh").toString());
        words.addAll(List.of(command));
        words.addAll(List.of("--data", data().toString(), "--log", log().toString()));
        ProcessBuilder builder =
                new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put("JVM_OPTS", String.join(" ", jvmOptions));
        builder.environment().put("JVM_HEAP_OPTS", HEAP);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().putAll(environment);
        return builder.start();
    }

    private int exitCode(@Nullable Process process, Duration patience) throws IOException {
        try {
            if (process == null || !process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                if (process != null) {
                    process.destroyForcibly();
                }
                throw new IOException("the script has not ended within " + patience + ": " + said());
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }
}
