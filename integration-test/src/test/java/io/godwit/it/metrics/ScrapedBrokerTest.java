package io.godwit.it.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.it.broker.ProcStat;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Await;
import io.godwit.testing.Pace;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A message costs the broker the same, whether Prometheus looks at it or not: CPU of its process for each message, in
 * runs with and without scrapes by turns. The medians differ by no more than runs without scrapes do among each other,
 * or by {@link #LEAST_SPREAD} where these happen to be alike.
 */
@Tag("long")
@Timeout(1_800)
class ScrapedBrokerTest {
    /** Of the cost of a message: what the table of targets calls unchanged. */
    private static final double LEAST_SPREAD = 0.03;

    private static final int PAIRS = Integer.getInteger("scraped.pairs", 5);
    /** Of a run; with scrapes there are as many as fit, and one at its beginning. */
    private static final Duration RUN = Duration.ofSeconds(Integer.getInteger("scraped.seconds", 45));

    private static final Duration INTERVAL = Duration.ofSeconds(Integer.getInteger("scraped.interval", 15));
    private static final Duration WARM_UP = Duration.ofSeconds(Integer.getInteger("scraped.warm.up", 60));

    @TempDir
    private Path directory;

    private final HttpClient client = HttpClient.newHttpClient();

    @ParameterizedTest(name = "QoS {0}, {1} messages a second")
    @CsvSource({"0,5000", "1,2000"})
    void scrapesDoNotMakeMessagesDearer(int qos, int perSecond) throws Exception {
        int port = Ports.free().getPort();
        URI metrics = URI.create("http://127.0.0.1:" + port + "/metrics");
        try (BrokerProcess broker = new BrokerProcess(directory.resolve("broker"))
                .longLived()
                .setting("apiServerConfig", "{port: " + port + "}")) {
            broker.start();
            List<Double> plain = new ArrayList<>();
            List<Double> scraped = new ArrayList<>();
            try (Load load = new Load(broker, qos, perSecond)) {
                scrape(metrics); // the first one loads classes
                load.run(WARM_UP);
                for (int pair = 0; pair < PAIRS; pair++) {
                    boolean isScrapedFirst = pair % 2 == 1;
                    for (boolean isScraped : new boolean[] {isScrapedFirst, !isScrapedFirst}) {
                        (isScraped ? scraped : plain).add(isScraped ? scrapedRun(load, metrics) : load.run(RUN));
                    }
                }
            }
            double usual = median(plain);
            double spread = plain.stream().mapToDouble(x -> x).max().orElseThrow()
                    - plain.stream().mapToDouble(x -> x).min().orElseThrow();
            double most = Math.max(spread, LEAST_SPREAD * usual);
            System.out.printf(
                    "QoS %d, %d messages a second, CPU of a message in microseconds: without scrapes %s, median %.2f; "
                            + "with one each %d s %s, median %.2f; may differ by %.2f%n",
                    qos,
                    perSecond,
                    rounded(plain),
                    usual,
                    INTERVAL.toSeconds(),
                    rounded(scraped),
                    median(scraped),
                    most);
            assertThat(median(scraped)).isLessThanOrEqualTo(usual + most);
        }
    }

    private double scrapedRun(Load load, URI metrics) throws Exception {
        AtomicInteger scrapes = new AtomicInteger();
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        try {
            timer.scheduleAtFixedRate(
                    () -> {
                        scrape(metrics);
                        scrapes.incrementAndGet();
                    },
                    0,
                    INTERVAL.toMillis(),
                    TimeUnit.MILLISECONDS);
            double cost = load.run(RUN);
            assertThat(scrapes.get()).isGreaterThanOrEqualTo((int) (RUN.toMillis() / INTERVAL.toMillis()));
            return cost;
        } finally {
            timer.shutdownNow();
        }
    }

    private void scrape(URI metrics) {
        try {
            assertThat(client.send(HttpRequest.newBuilder(metrics).build(), BodyHandlers.ofString())
                            .body())
                    .contains("godwit_mqtt_publishes_in_total");
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the run is over
        }
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    private static String rounded(List<Double> values) {
        return values.stream().map("%.2f"::formatted).toList().toString();
    }

    /** One publisher and one subscriber, which stay connected over all runs. */
    private static final class Load implements AutoCloseable {
        private static final byte[] PAYLOAD = new byte[100];
        private static final String TOPIC = "scraped/load";

        private final int qos;
        private final long intervalNanos;
        private final long pid;
        private final AtomicLong received = new AtomicLong();
        private final TestClient publisher;
        private final TestClient subscriber;
        private long published;

        Load(BrokerProcess broker, int qos, int perSecond) throws IOException {
            this.qos = qos;
            intervalNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
            pid = Objects.requireNonNull(broker.handle()).pid();
            publisher = new TestClient(
                    ClientConfig.of(broker.address(), "publisher", 5).withCleanSession());
            subscriber = new TestClient(
                    ClientConfig.of(broker.address(), "subscriber", 5).withCleanSession(),
                    publish -> received.incrementAndGet());
            publisher.connect();
            subscriber.connect();
            assertThat(subscriber.subscribe(TOPIC, qos)).isEqualTo(qos);
        }

        /** Returns the broker's CPU for a message, in microseconds; all have arrived. */
        double run(Duration lasts) throws IOException {
            long cpuMillis = ProcStat.cpuMillis(pid);
            long begin = System.nanoTime();
            long messages = lasts.toNanos() / intervalNanos;
            for (long number = 0; number < messages; number++) {
                long due = begin + number * intervalNanos;
                if (due > System.nanoTime() || !publisher.canPublish()) {
                    publisher.flush();
                    Await.until("the window opens", publisher::canPublish);
                    Pace.until(due);
                }
                var done = publisher.publish(TOPIC, PAYLOAD, qos, false, Properties.NONE);
                assertThat(done.isCompletedExceptionally()).isFalse();
                published++;
            }
            publisher.flush();
            Await.until(
                    () -> received + " of " + published + " have come",
                    Await.PATIENCE,
                    () -> received.get() == published);
            return (ProcStat.cpuMillis(pid) - cpuMillis) * 1e3 / messages;
        }

        @Override
        public void close() {
            publisher.close();
            subscriber.close();
        }
    }
}
