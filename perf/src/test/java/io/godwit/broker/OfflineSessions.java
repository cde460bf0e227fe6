package io.godwit.broker;

import io.godwit.broker.check.ConfigLoader;
import io.godwit.mqtt.transport.config.TransportConfig;
import io.godwit.perf.curve.Curve;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures heap and files of stored sessions that are not connected, from a thousand to a million, each with one
 * subscription of QoS 1 and, if asked for, one queued message. Their clients connect in memory, see {@link
 * MillionSessions}.
 */
@Command(
        name = "perf.sh offline",
        mixinStandardHelpOptions = true,
        description = "Stored sessions without a connection.")
public final class OfflineSessions implements Callable<Integer> {
    private static final List<Integer> STEPS = List.of(1_000, 10_000, 100_000, 1_000_000);

    @Option(names = "--most", description = "sessions at most (default: ${DEFAULT-VALUE})")
    int most = 1_000_000;

    @Option(names = "--queued", description = "each has a message of 32 bytes in its queue")
    boolean isQueued;

    @Option(names = "--out", description = "where the files go (default: ${DEFAULT-VALUE})")
    Path out = Path.of("perf-reports", "curves");

    OfflineSessions() {}

    public static void main(String[] args) {
        System.exit(new CommandLine(new OfflineSessions()).execute(args));
    }

    @Override
    public Integer call() throws Exception {
        Path directory = Files.createTempDirectory("offline-");
        try {
            Curve curve = run(directory);
            Map<String, Object> about = new LinkedHashMap<>();
            about.put("measured", Instant.now().toString());
            about.put("cores", Runtime.getRuntime().availableProcessors());
            about.put("java", Runtime.version().toString());
            curve.write(out, about);
            System.out.println(curve.table());
            for (String value : List.of("heap MB", "files MB")) {
                System.out.printf("%s per session: %.0f bytes%n", value, curve.slope(value) * 1e6);
            }
            return 0;
        } finally {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
    }

    Curve run(Path directory) throws Exception {
        Curve curve = new Curve(
                isQueued ? "offline-queued" : "offline",
                "Stored sessions that are not connected, one subscription" + (isQueued ? " and one message" : "")
                        + " each",
                "sessions",
                true,
                List.of(
                        new Curve.Panel("heap, MB", List.of("heap MB")),
                        new Curve.Panel("files, MB", List.of("files MB"))));
        Path file = Files.writeString(directory.resolve("standalone.yml"), "apiServerConfig: {enable: false}\n");
        Path data = Files.createDirectories(directory.resolve("data"));
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1883);
        try (Broker broker = new Broker(
                        ConfigLoader.load(file, Map.of()),
                        data,
                        directory.resolve("plugins"),
                        TransportConfig.Io.IN_MEMORY);
                InMemoryClients clients = new InMemoryClients(address, 86_400)) {
            broker.start();
            int stored = 0;
            for (int step : STEPS.stream().filter(each -> each <= most).toList()) {
                long begun = System.nanoTime();
                clients.connect(stored, step, done -> System.out.println("  " + done + " connected"));
                double seconds = (System.nanoTime() - begun) / 1e9;
                clients.cut();
                Map<String, Double> values = new LinkedHashMap<>();
                values.put("stored per second", (step - stored) / seconds);
                if (isQueued) {
                    begun = System.nanoTime();
                    clients.publishToEach(stored, step);
                    values.put("queued per second", (step - stored) / ((System.nanoTime() - begun) / 1e9));
                }
                stored = step;
                values.put("heap MB", InMemoryClients.usedHeap() / 1e6);
                values.put("files MB", bytes(data) / 1e6);
                curve.add(step, values);
                System.out.println(step + " " + values);
            }
        }
        return curve;
    }

    private static long bytes(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(OfflineSessions::size)
                    .sum();
        }
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            return 0; // compacted away meanwhile
        }
    }
}
