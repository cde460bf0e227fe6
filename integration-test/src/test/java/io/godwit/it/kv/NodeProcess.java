package io.godwit.it.kv;

import io.godwit.it.kv.fault.Signals;
import io.godwit.it.kv.node.KvTestNode;
import io.godwit.it.kv.node.NodeOptions;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A node as a process of this machine. */
final class NodeProcess implements TestNode {
    static final List<String> JVM_OPTIONS = List.of(
            "-Xms64m",
            "-Xmx256m",
            "-Xss512k",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            // rather dead, which is seen, than half alive
            "-XX:+ExitOnOutOfMemoryError",
            "-Dcom.google.protobuf.use_unsafe_pre22_gencode=true",
            "-Dlogback.configurationFile=logback-node.xml");

    /** For a look at what a node does: {@code -Dnemesis.jvm="-XX:+HeapDumpOnOutOfMemoryError"}. */
    private static final List<String> MORE_OPTIONS = Stream.of(
                    System.getProperty("nemesis.jvm", "").split(" ", -1))
            .filter(word -> !word.isEmpty())
            .toList();

    private static final int CLOSE_SECONDS = 30;

    private final NodeOptions options;
    private final List<String> prefix;
    private final Path log;
    private final Map<String, String> environment = new HashMap<>();
    private @Nullable Process process;
    private boolean isPaused;

    /** @param prefix words before the command */
    NodeProcess(NodeOptions options, List<String> prefix, Path log) {
        this.options = options;
        this.prefix = prefix;
        this.log = log;
    }

    @Override
    public String name() {
        return options.name();
    }

    @Override
    public InetSocketAddress address() {
        return new InetSocketAddress(options.host(), options.clientPort());
    }

    Path data() {
        return options.data();
    }

    /** What it has in its environment from the next start on. */
    void environment(Map<String, String> more) {
        environment.putAll(more);
    }

    @Override
    public void start() throws IOException {
        List<String> words = new ArrayList<>(prefix);
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(JVM_OPTIONS);
        words.addAll(MORE_OPTIONS);
        words.addAll(List.of("-cp", classPath(), KvTestNode.class.getName()));
        words.addAll(options.arguments());
        isPaused = false;
        // its standard input is a pipe from us: when we die, it ends
        ProcessBuilder builder = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().putAll(environment);
        process = builder.start();
    }

    private static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    @Override
    public boolean isRunning() {
        Process running = process;
        return running != null && running.isAlive();
    }

    /** Waits for it to end by itself. Returns whether it has. */
    boolean awaitEnd(int seconds) throws IOException {
        Process running = process;
        try {
            return running == null || running.waitFor(seconds, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    /** Which goes on with each start. */
    Path log() {
        return log;
    }

    /** While it runs. */
    ProcessHandle handle() {
        Process running = process;
        if (running == null) {
            throw new IllegalStateException(name() + " does not run");
        }
        return running.toHandle();
    }

    @Override
    public void kill() throws IOException {
        Process running = process;
        if (running == null) {
            return;
        }
        running.destroyForcibly();
        try {
            if (!running.waitFor(20, TimeUnit.SECONDS)) {
                throw new IOException(name() + " outlives kill -9");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
        process = null;
        isPaused = false;
    }

    @Override
    public void pause() throws IOException {
        Process running = process;
        if (running != null && running.isAlive()) {
            Signals.stop(running.toHandle());
            isPaused = true;
        }
    }

    @Override
    public void goOn() throws IOException {
        Process running = process;
        if (running != null && isPaused) {
            Signals.goOn(running.toHandle());
            isPaused = false;
        }
    }

    @Override
    public void stop() throws IOException {
        Process running = process;
        if (running == null) {
            return;
        }
        goOn();
        running.getOutputStream().close();
        try {
            if (!running.waitFor(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                kill();
                throw new IOException(name() + " has not closed within " + CLOSE_SECONDS + " s" + said());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
        if (running.exitValue() != 0) {
            throw new IOException(name() + " ended with " + running.exitValue() + said());
        }
        process = null;
    }

    @Override
    public String said() throws IOException {
        File file = log.toFile();
        if (!file.exists()) {
            return "; it has said nothing";
        }
        List<String> lines = Files.readAllLines(log);
        return "; it said at last:\n" + String.join("\n", lines.subList(Math.max(0, lines.size() - 40), lines.size()));
    }

    @Override
    public void close() throws IOException {
        kill();
    }
}
