package io.godwit.broker;

import com.google.gson.GsonBuilder;
import io.godwit.broker.check.ConfigLoader;
import io.godwit.broker.effective.BrokerConfig;
import io.godwit.mqtt.transport.config.TransportConfig;
import io.godwit.testing.Pace;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Sessions with one subscription each in one broker, more than a process may open files: what one costs in heap, how
 * fast they connect, what their keep-alives cost, and how long a publish to a random one takes while all are connected.
 *
 * <p>The broker is the whole one with stores on disk; only sockets are replaced, by Netty's {@code LocalChannel}, which
 * keeps the accepting server, the event loops, the real pipeline and the order of reads and writes.
 * ({@code EmbeddedChannel} has an event loop of its own and no threads.) There are no system calls and no kernel
 * buffers: those of TCP come on top, see docs/tuning.md. Clients are in the same process on an event loop of their own;
 * what their side of the channels takes is measured by pairs of bare channels and taken off.
 */
@Command(
        name = "perf.sh sessions",
        mixinStandardHelpOptions = true,
        description = "Many sessions in one broker, in memory.")
public final class MillionSessions implements Callable<Integer> {
    private static final int PORT = 1883;
    private static final int BARE_PAIRS = 50_000;

    @Option(names = "--count", description = "sessions (default: ${DEFAULT-VALUE})")
    int count = 1_000_000;

    @Option(
            names = "--expiry",
            description = "session expiry in seconds; 0: they live in memory (default: ${DEFAULT-VALUE})")
    long expirySeconds;

    @Option(
            names = "--seconds",
            description = "how long keep-alives, and publishes, are measured (default: ${DEFAULT-VALUE})")
    int seconds = 30;

    @Option(names = "--keep-alive", description = "seconds between two pings of a client (default: ${DEFAULT-VALUE})")
    int keepAliveSeconds = 60;

    @Option(names = "--rate", description = "publishes per second to random ones (default: ${DEFAULT-VALUE})")
    int rate = 500;

    @Option(names = "--out", description = "JSON file for the result")
    @Nullable
    Path out;

    private final PrintStream console = System.out;
    private final Map<String, Object> result = new LinkedHashMap<>();

    MillionSessions() {}

    public static void main(String[] args) {
        System.exit(new CommandLine(new MillionSessions()).execute(args));
    }

    @Override
    public Integer call() throws Exception {
        Path directory = Files.createTempDirectory("sessions-");
        try {
            run(directory);
            if (out != null) {
                Files.writeString(
                        out, new GsonBuilder().setPrettyPrinting().create().toJson(result));
            }
            return 0;
        } finally {
            delete(directory);
        }
    }

    /** Runs all steps; returns the measured values by name. */
    Map<String, Object> run(Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("standalone.yml"), "apiServerConfig: {enable: false}\n");
        BrokerConfig config = ConfigLoader.load(file, Map.of());
        Path data = Files.createDirectories(directory.resolve("data"));
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), PORT);
        tell("java", Runtime.version().toString());
        tell("heapLimitMB", Runtime.getRuntime().maxMemory() >> 20);
        tell("sessions", count);
        tell("expirySeconds", expirySeconds);
        double clientHalf = InMemoryClients.bytesOfABarePair(Math.min(count, BARE_PAIRS)) / 2.0;
        tell("clientSideBytesEach", Math.round(clientHalf));
        try (Broker broker = new Broker(config, data, directory.resolve("plugins"), TransportConfig.Io.IN_MEMORY);
                InMemoryClients clients = new InMemoryClients(address, expirySeconds)) {
            broker.start();
            clients.warmUp();
            long before = InMemoryClients.usedHeap();
            connect(clients);
            long after = InMemoryClients.usedHeap();
            tell("heapMB", after >> 20);
            if (clients.lost() > 0) {
                throw new IllegalStateException(
                        clients.lost() + " clients could not connect, or lost their connection", clients.lastFailure());
            }
            tell("heapBytesPerSession", Math.round((after - before) / (double) count - clientHalf));
            keepAlive(clients, "idle", false);
            keepAlive(clients, "keepAlive", true);
            publish(clients);
            tell("lostConnections", clients.lost());
        }
        return result;
    }

    private void connect(InMemoryClients clients) throws InterruptedException {
        Cpu before = Cpu.now();
        long begun = System.nanoTime();
        clients.connect(count, done -> console.println("  " + done + " connected"));
        double took = (System.nanoTime() - begun) / 1e9;
        tell("connectSeconds", rounded(took));
        tell("connectsPerSecond", Math.round(count / took));
        tell("connectBrokerCpuMicrosEach", rounded(Cpu.now().since(before).brokerSeconds() * 1e6 / count));
    }

    /**
     * Runs for a keep-alive of {@link #keepAliveSeconds} in which each client pings once, evenly spread; or without
     * pings, for the cost of the sweep over all connections.
     */
    private void keepAlive(InMemoryClients clients, String name, boolean pings) throws InterruptedException {
        int length = pings ? seconds : Math.min(seconds, 10);
        Cpu before = Cpu.now();
        long answered = clients.pings();
        long begun = System.nanoTime();
        long sent = pings ? clients.ping(Duration.ofSeconds(length), Duration.ofSeconds(keepAliveSeconds)) : 0;
        if (!pings) {
            Pace.passMillis(length * 1_000L);
        }
        double perMinute = 60 / ((System.nanoTime() - begun) / 1e9);
        Cpu used = Cpu.now().since(before);
        tell(name + "LoopCpuSecondsPerMinute", rounded(used.loopSeconds() * perMinute));
        tell(name + "BrokerCpuSecondsPerMinute", rounded(used.brokerSeconds() * perMinute));
        if (pings) {
            tell("keepAlivePings", sent);
            tell("keepAlivePingsAnswered", clients.pings() - answered);
        }
    }

    private void publish(InMemoryClients clients) throws InterruptedException {
        Histogram micros = new Histogram(TimeUnit.MINUTES.toMicros(5), 3);
        long sent = clients.publish(Duration.ofSeconds(seconds), rate, Duration.ofSeconds(keepAliveSeconds), micros);
        tell("published", sent);
        tell("delivered", micros.getTotalCount());
        tell("publishP50Micros", micros.getValueAtPercentile(50));
        tell("publishP99Micros", micros.getValueAtPercentile(99));
        tell("publishP999Micros", micros.getValueAtPercentile(99.9));
        tell("publishMaxMicros", micros.getMaxValue());
    }

    private void tell(String name, Object value) {
        result.put(name, value);
        console.println(name + " " + value);
    }

    private static double rounded(double value) {
        return Math.round(value * 100) / 100.0;
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    /**
     * The CPU time used so far.
     *
     * @param brokerSeconds of the process, without the threads of the clients and this one
     * @param loopSeconds of the broker's event loops
     */
    private record Cpu(double brokerSeconds, double loopSeconds) {
        static Cpu now() {
            ThreadMXBean threads = ManagementFactory.getThreadMXBean();
            double clients = threads.getCurrentThreadCpuTime();
            double loops = 0;
            for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
                if (thread != null && thread.getThreadName().startsWith(InMemoryClients.THREAD)) {
                    clients += threads.getThreadCpuTime(thread.getThreadId());
                } else if (thread != null && thread.getThreadName().startsWith("mqtt-loop")) {
                    loops += threads.getThreadCpuTime(thread.getThreadId());
                }
            }
            long process = ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
                    .getProcessCpuTime();
            return new Cpu((process - clients) / 1e9, loops / 1e9);
        }

        Cpu since(Cpu before) {
            return new Cpu(brokerSeconds - before.brokerSeconds, loopSeconds - before.loopSeconds);
        }
    }
}
