package io.godwit.perf.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * A broker process that this tool has started. It is a child of this process, so that ending it cannot hit another
 * process. Thread-safe.
 */
final class BrokerNode {
    private static final int LINES_TOLD = 12;

    private final NodePlan plan;
    private final Process process;

    private BrokerNode(NodePlan plan, Process process) {
        this.plan = plan;
        this.process = process;
    }

    /**
     * Starts the broker with the start script in the foreground, which replaces itself with the broker, so that the pid
     * stays the same. Returns at once.
     *
     * @param plan of one of {@code cluster}'s nodes; its configuration file is already written
     */
    static BrokerNode start(ClusterPlan cluster, NodePlan plan) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        cluster.settings().distribution().startScript().toString(),
                        "start",
                        "--foreground",
                        "--config",
                        plan.configFile().toString(),
                        "--data",
                        plan.data().toString(),
                        "--log",
                        plan.log().toString())
                .redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")))
                .redirectErrorStream(true)
                .redirectOutput(plan.output().toFile());
        // overrides the values for the JVM of this tool, which perf.sh takes from the same variables
        builder.environment().put("JVM_OPTS", cluster.jvmOptions());
        builder.environment().put("JVM_HEAP_OPTS", cluster.heapOptions());
        builder.environment().putAll(cluster.variables());
        return new BrokerNode(plan, builder.start());
    }

    NodePlan plan() {
        return plan;
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Whether the broker serves: its status file says so and was written by this process. */
    boolean isServing() {
        List<String> status = status();
        return status.contains("pid=" + pid()) && status.contains("state=ready");
    }

    /** What the broker waits for, or the state that it reports, in words. */
    String waitsFor() {
        List<String> status = status();
        String waits = status.stream()
                .filter(line -> line.startsWith("waiting=") || line.startsWith("store=") && !line.contains(" SERVING"))
                .map(line -> line.substring(line.indexOf('=') + 1))
                .collect(Collectors.joining("; "));
        return !waits.isEmpty() ? "waits for " + waits : status.isEmpty() ? "has not written its status yet" : "starts";
    }

    private List<String> status() {
        try {
            return Files.readAllLines(plan.data().resolve("godwit.status"));
        } catch (IOException e) {
            return List.of(); // does not exist yet, or is being replaced
        }
    }

    /** The last lines that the start script and the JVM printed. */
    String said() {
        try {
            List<String> lines = Files.readAllLines(plan.output(), StandardCharsets.UTF_8);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - LINES_TOLD), lines.size()));
        } catch (IOException e) {
            return "";
        }
    }

    /** Kills the process by SIGKILL; returns at once. */
    void kill() {
        process.destroyForcibly();
    }

    /** Asks the process to end; returns at once. */
    void requestEnd() {
        process.destroy();
    }

    /**
     * Waits until the process has ended. If it has not by {@code endNanos} of {@link System#nanoTime}, kills it and
     * waits for {@code afterKill}.
     *
     * @return whether it has ended
     */
    boolean awaitEnd(long endNanos, Duration afterKill) throws InterruptedException {
        if (process.waitFor(Math.max(0, endNanos - System.nanoTime()), TimeUnit.NANOSECONDS)) {
            return true;
        }
        process.destroyForcibly();
        return process.waitFor(afterKill.toMillis(), TimeUnit.MILLISECONDS);
    }
}
