package io.godwit.broker.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.godwit.api.port.figure.ScrapeFormat;
import io.godwit.mqtt.certificates.TestAuthority;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Timer;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Metrics arrive at a collector; a collector that fails does no harm. */
class OtlpPushTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private final BrokerMeters meters = new BrokerMeters();
    private final AtomicLong nanos = new AtomicLong(-5);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger(OtlpPush.class);

    @BeforeEach
    void readLog() {
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void close() {
        logger.detachAppender(lines);
        meters.close();
    }

    private OtlpPush push(URI url, Duration timeout, @Nullable SSLContext tls) {
        return new OtlpPush(
                meters,
                new OtlpPush.Target(
                        url,
                        LONG,
                        timeout,
                        List.of(Map.entry("Authorization", "Bearer s3cret"), Map.entry("X-Scope", "birds")),
                        Map.of("service.name", "godwit", "place", "m\u00FCnchen"),
                        "1.2.3",
                        tls),
                nanos::get);
    }

    private double pushes(String outcome) {
        return meters.registry()
                .get("godwit.otlp.pushes")
                .tag("outcome", outcome)
                .functionCounter()
                .count();
    }

    private static Map<String, Metric> byName(ExportMetricsServiceRequest request) {
        return request.getResourceMetrics(0).getScopeMetrics(0).getMetricsList().stream()
                .collect(Collectors.toMap(Metric::getName, Function.identity()));
    }

    private static Map<String, String> pairs(List<KeyValue> attributes) {
        return attributes.stream()
                .collect(Collectors.toMap(
                        KeyValue::getKey, pair -> pair.getValue().getStringValue()));
    }

    @Test
    void whatIsPushedIsWhatAScrapeHas() throws Exception {
        Counter.builder("godwit.test.things")
                .tag("kind", "a\"b")
                .description("things")
                .register(meters.registry())
                .increment(3);
        Gauge.builder("godwit.test.room", () -> 4_096)
                .baseUnit("bytes")
                .description("room")
                .register(meters.registry());
        Gauge.builder("godwit.test.unknown", () -> Double.NaN)
                .description("nothing")
                .register(meters.registry());
        DistributionSummary.builder("godwit.test.sizes")
                .description("sizes")
                .register(meters.registry())
                .record(7);
        Timer timer = Timer.builder("godwit.test.took")
                .tag("qos", "1")
                .description("time")
                .register(meters.registry());
        timer.record(Duration.ofMillis(3));
        timer.record(Duration.ofSeconds(60));
        try (OtlpCollector collector = OtlpCollector.answering(200);
                OtlpPush push = push(collector.url(), LONG, null)) {
            push.push();

            OtlpCollector.Push arrived = collector.next();
            assertThat(arrived.method() + " " + arrived.path()).isEqualTo("POST /v1/metrics");
            assertThat(arrived.headers().getFirst("Content-Type")).isEqualTo("application/x-protobuf");
            assertThat(arrived.headers().getFirst("Authorization")).isEqualTo("Bearer s3cret");
            assertThat(arrived.headers().getFirst("X-Scope")).isEqualTo("birds");
            ExportMetricsServiceRequest request = arrived.request();
            assertThat(pairs(request.getResourceMetrics(0).getResource().getAttributesList()))
                    .isEqualTo(Map.of("service.name", "godwit", "place", "m\u00FCnchen"));
            assertThat(request.getResourceMetrics(0)
                            .getScopeMetrics(0)
                            .getScope()
                            .getVersion())
                    .isEqualTo("1.2.3");

            Map<String, Metric> metrics = byName(request);
            Exposition scrape = new Exposition(
                    new String(meters.scrapes().scrape(ScrapeFormat.TEXT).text(), StandardCharsets.UTF_8));
            assertThat(metrics.keySet())
                    .doesNotContain("godwit_test_unknown")
                    .containsAll(scrape.families().keySet().stream()
                            .filter(name -> !name.equals("godwit_test_unknown") && !name.startsWith("jvm_gc_pause"))
                            .toList());
            assertThat(scrape.families().keySet()).containsAll(metrics.keySet());

            Metric things = metrics.get("godwit_test_things_total");
            assertThat(things.getDescription()).isEqualTo("things");
            assertThat(things.getSum().getIsMonotonic()).isTrue();
            assertThat(things.getSum().getAggregationTemporality())
                    .isEqualTo(AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE);
            assertThat(things.getSum().getDataPoints(0).getAsDouble()).isEqualTo(3);
            assertThat(pairs(things.getSum().getDataPoints(0).getAttributesList()))
                    .isEqualTo(Map.of("kind", "a\"b"));
            long time = things.getSum().getDataPoints(0).getTimeUnixNano();
            assertThat(Duration.ofNanos(System.currentTimeMillis() * 1_000_000 - time))
                    .isBetween(Duration.ZERO, Duration.ofMinutes(1));
            assertThat(things.getSum().getDataPoints(0).getStartTimeUnixNano()).isBetween(1L, time);

            assertThat(metrics.get("godwit_test_room_bytes").getUnit()).isEqualTo("By");
            assertThat(metrics.get("godwit_test_room_bytes")
                            .getGauge()
                            .getDataPoints(0)
                            .getAsDouble())
                    .isEqualTo(4_096);
            assertThat(metrics.get("godwit_test_sizes")
                            .getSummary()
                            .getDataPoints(0)
                            .getCount())
                    .isEqualTo(1);
            assertThat(metrics.get("godwit_test_sizes")
                            .getSummary()
                            .getDataPoints(0)
                            .getSum())
                    .isEqualTo(7);

            Metric took = metrics.get("godwit_test_took_seconds");
            assertThat(took.getUnit()).isEqualTo("s");
            assertThat(took.getHistogram().getAggregationTemporality())
                    .isEqualTo(AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE);
            HistogramDataPoint point = took.getHistogram().getDataPoints(0);
            assertThat(point.getCount()).isEqualTo(2);
            assertThat(point.getSum()).isEqualTo(60.003);
            assertThat(point.getExplicitBoundsList())
                    .containsExactly(1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 0.01, 0.025, 0.1, 0.5, 2.0, 10.0);
            assertThat(point.getBucketCountsList()).containsExactly(0L, 0L, 0L, 0L, 0L, 1L, 0L, 0L, 0L, 0L, 0L, 0L, 1L);
            assertThat(pairs(point.getAttributesList())).isEqualTo(Map.of("qos", "1"));
            assertThat(metrics).containsKey("godwit_test_took_seconds_max");
            assertThat(pushes("accepted")).isEqualTo(1);
        }
        assertThat(lines.list).isEmpty();
    }

    @Test
    void aCollectorIsKnownByItsCertificate() throws Exception {
        TestAuthority authority = new TestAuthority("ours");
        HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        server.setHttpsConfigurator(new HttpsConfigurator(
                authority.clientContext(authority.issue("CN=localhost")))); // it has key and trust, for either side
        try (OtlpCollector collector = new OtlpCollector(server, "https", 200)) {
            URI url = URI.create(collector.url().toString().replace("127.0.0.1", "localhost"));
            try (OtlpPush push = push(url, LONG, authority.clientContext(null))) {
                push.push();
                assertThat(byName(collector.next().request())).containsKey("process_uptime_seconds");
            }
            try (OtlpPush push = push(url, LONG, new TestAuthority("another").clientContext(null))) {
                push.push();
            }
        }
        assertThat(pushes("accepted")).isEqualTo(1);
        assertThat(lines.list).singleElement().asString().contains("SSLHandshakeException");
    }

    /** One line in ten minutes, without headers. */
    @Test
    void aCollectorThatRefusesIsToldOfSeldom() throws Exception {
        try (OtlpCollector collector = OtlpCollector.answering(500);
                OtlpPush push = push(collector.url(), LONG, null)) {
            for (int i = 0; i < 3; i++) {
                push.push();
                nanos.addAndGet(Duration.ofMinutes(1).toNanos());
            }
            assertThat(lines.list)
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .containsExactly("meters not pushed url=" + collector.url()
                            + " failures=1 cause=it answers with status 500");
            nanos.addAndGet(Duration.ofMinutes(7).toNanos());
            push.push();
            assertThat(lines.list).hasSize(2);
            assertThat(lines.list.get(1).getFormattedMessage()).contains("failures=3");
            assertThat(pushes("failed")).isEqualTo(4);
            assertThat(pushes("accepted")).isZero();
        }
    }

    /** The next push goes through. */
    @Test
    void aCollectorThatIsNotThereMayComeLater() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        URI url = URI.create("http://127.0.0.1:" + port + "/v1/metrics");
        try (OtlpPush push = push(url, LONG, null)) {
            push.push();
            assertThat(pushes("failed")).isEqualTo(1);
            assertThat(lines.list).singleElement().asString().contains("ConnectException");
            try (OtlpCollector collector = new OtlpCollector(
                    HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 10),
                    "http",
                    204)) {
                push.push();
                assertThat(collector.next().path()).isEqualTo("/v1/metrics");
            }
            assertThat(pushes("accepted")).isEqualTo(1);
        }
    }

    /** It takes the connection and never reads. */
    @Test
    void aCollectorThatHangsIsGivenUp() throws Exception {
        try (ServerSocket hanging = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            URI url = URI.create("http://127.0.0.1:" + hanging.getLocalPort() + "/v1/metrics");
            try (OtlpPush push = push(url, Duration.ofSeconds(1), null)) {
                push.push();
                assertThat(pushes("failed")).isEqualTo(1);
                assertThat(lines.list).singleElement().asString().contains("no answer within 1 seconds");
            }
        }
    }

    /** Its answer has a head and no end. */
    @Test
    void anAnswerWithoutEndIsGivenUp() throws Exception {
        try (ServerSocket endless = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Thread answers = new Thread(() -> answerWithoutEnd(endless), "endless");
            answers.start();
            URI url = URI.create("http://127.0.0.1:" + endless.getLocalPort() + "/v1/metrics");
            try (OtlpPush push = push(url, Duration.ofSeconds(1), null)) {
                push.push();
            }
            assertThat(pushes("failed")).isEqualTo(1);
            answers.join(20_000); // its connection has been closed
            assertThat(answers.isAlive()).isFalse();
        }
    }

    private static void answerWithoutEnd(ServerSocket listening) {
        try (Socket socket = listening.accept()) {
            byte[] piece = new byte[1 << 14];
            socket.getOutputStream()
                    .write("HTTP/1.1 200 OK\r\nContent-Length: 9000000000000\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            while (true) {
                socket.getOutputStream().write(piece);
            }
        } catch (IOException e) {
            // the push has given up
        }
    }

    @Test
    void itStopsAtOnceWhileACollectorHangs() throws Exception {
        try (ServerSocket hanging = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            URI url = URI.create("http://127.0.0.1:" + hanging.getLocalPort() + "/v1/metrics");
            OtlpPush push = push(url, LONG, null);
            push.start();
            try (Socket taken = hanging.accept()) {
                assertThat(taken.getInputStream().read()).isEqualTo('P');
                long from = System.nanoTime();
                push.close();
                assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(Duration.ofSeconds(1));
            }
        }
        assertThat(pushes("failed")).isZero();
        assertThat(lines.list).isEmpty();
    }
}
