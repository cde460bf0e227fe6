package io.godwit.broker;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.port.figure.ScrapeFormat;
import io.godwit.broker.check.ConfigLoader;
import io.godwit.broker.metrics.Exposition;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The cost of creating and sending a scrape of a thousand series: less than a hundredth of a core, at the interval of
 * {@code conf/metrics/prometheus.yml}, 15 seconds, from the first scrape of a process on, and at 5 seconds after some
 * scrapes. Measured is the CPU time of the threads, which other work on the machine hardly affects.
 */
@Tag("slow") // it starts a node
class ScrapeCostTest {
    private static final int SERIES = 1_000;
    private static final double SHARE_OF_A_CORE = 0.01;
    private static final Duration INTERVAL = Duration.ofSeconds(15);
    private static final Duration SHORT_INTERVAL = Duration.ofSeconds(5);

    private static final int FIRST = 10;
    private static final int WARM_UP = 30;
    private static final int MEASURED = 30;
    private static final int SENT = 100;
    private static final Pattern LENGTH = Pattern.compile("(?i)content-length: (\\d+)");
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    @TempDir
    private Path directory;

    @Test
    void aScrapeOfAThousandSeriesCostsLittle() throws Exception {
        Path file = Files.writeString(directory.resolve("standalone.yml"), """
                apiServerConfig: {port: 0, maxRequestRatePerCaller: 100000, maxRequestRate: 100000}
                mqttServerConfig: {tcpListener: {host: 127.0.0.1, port: 0}}
                """);
        Path data = Files.createDirectories(directory.resolve("data"));
        try (Broker broker = new Broker(ConfigLoader.load(file, Map.of()), data, directory.resolve("plugins"))) {
            int port = apiPort(String.join("\n", broker.start()));
            int series = fillUp(broker);
            double firstMillis = made(broker, FIRST);
            made(broker, WARM_UP);
            double laterMillis = made(broker, MEASURED);
            double sentMillis = sent(port);
            System.out.printf(
                    "scrape of %d series: %.1f ms of a core at first, %.1f ms later, and %.2f ms to send; "
                            + "%.2f %% of a core at %d s, %.2f %% at %d s%n",
                    series,
                    firstMillis,
                    laterMillis,
                    sentMillis,
                    percent(laterMillis + sentMillis, INTERVAL),
                    INTERVAL.toSeconds(),
                    percent(laterMillis + sentMillis, SHORT_INTERVAL),
                    SHORT_INTERVAL.toSeconds());
            assertThat(series).isBetween(SERIES, 2 * SERIES);
            assertThat(sentMillis).as("milliseconds to send the answer").isPositive();
            assertThat(firstMillis + sentMillis)
                    .as("the cost of the first scrapes")
                    .isLessThan(SHARE_OF_A_CORE * INTERVAL.toMillis());
            assertThat(laterMillis + sentMillis)
                    .as("the cost of later scrapes")
                    .isLessThan(SHARE_OF_A_CORE * SHORT_INTERVAL.toMillis());
        }
    }

    private static double percent(double millis, Duration interval) {
        return 100 * millis / interval.toMillis();
    }

    private static int apiPort(String lines) {
        Matcher port = Pattern.compile("API on http://127\\.0\\.0\\.1:(\\d+)").matcher(lines);
        assertThat(port.find()).as(lines).isTrue();
        return Integer.parseInt(port.group(1));
    }

    /** Adds histograms, the most expensive kind, until there are enough series; returns their number. */
    private static int fillUp(Broker broker) {
        MeterRegistry registry = broker.metrics().registry();
        int series = series(broker);
        for (int i = 0; series < SERIES; i++) {
            Timer timer = Timer.builder("godwit.cost.test")
                    .description("fills up")
                    .tag("number", Integer.toString(i))
                    .register(registry);
            timer.record(Duration.ofMillis(i));
            series = series(broker);
        }
        return series;
    }

    private static int series(Broker broker) {
        byte[] text = broker.metrics().scrapes().scrape(ScrapeFormat.TEXT).text();
        return new Exposition(new String(text, StandardCharsets.UTF_8))
                .families().values().stream()
                        .mapToInt(family -> family.samples().size())
                        .sum();
    }

    /** Milliseconds of CPU time for creating one scrape, on this thread as on the API's workers. */
    private static double made(Broker broker, int scrapes) {
        long begin = THREADS.getCurrentThreadCpuTime();
        for (int i = 0; i < scrapes; i++) {
            assertThat(broker.metrics().scrapes().scrape(ScrapeFormat.TEXT).text())
                    .hasSizeGreaterThan(10_000);
        }
        return (THREADS.getCurrentThreadCpuTime() - begin) / 1e6 / scrapes;
    }

    /**
     * Milliseconds of CPU time of the API's own threads per request. Only few of the requests create a scrape, since an
     * answer is reused for a second; without these the result would be the same or lower.
     */
    private static double sent(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(30_000);
            ask(socket);
            long begin = nanosOfApi();
            for (int i = 0; i < SENT; i++) {
                ask(socket);
            }
            return (nanosOfApi() - begin) / 1e6 / SENT;
        }
    }

    private static void ask(Socket socket) throws IOException {
        socket.getOutputStream().write("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(US_ASCII));
        InputStream in = socket.getInputStream();
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        while (!head.toString(US_ASCII).endsWith("\r\n\r\n")) {
            int next = in.read();
            assertThat(next).as("after %s", head).isNotNegative();
            head.write(next);
        }
        assertThat(head.toString(US_ASCII)).startsWith("HTTP/1.1 200 ");
        Matcher length = LENGTH.matcher(head.toString(US_ASCII));
        assertThat(length.find()).as(head.toString(US_ASCII)).isTrue();
        in.skipNBytes(Long.parseLong(length.group(1)));
    }

    private static long nanosOfApi() {
        long sum = 0;
        for (ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
            if (thread != null
                    && (thread.getThreadName().startsWith("api-worker")
                            || thread.getThreadName().startsWith("vert.x-eventloop"))) {
                sum += THREADS.getThreadCpuTime(thread.getThreadId());
            }
        }
        return sum;
    }
}
