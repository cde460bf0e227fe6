package io.godwit.broker.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.port.ApiCounts;
import io.godwit.api.port.ApiCounts.Bound;
import io.godwit.api.port.ApiCounts.Cause;
import io.godwit.api.port.figure.ScrapeFormat;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ApiMetersTest {
    private final BrokerMeters broker = new BrokerMeters();
    private final ApiMeters meters = new ApiMeters(broker.registry());

    @AfterEach
    void close() {
        assertThat(broker.leftOut()).isEmpty();
        broker.close();
    }

    /** The value of the series with just these labels; -1 when there is none. */
    private double value(String name, Map<String, String> labels) {
        byte[] text = broker.scrapes().scrape(ScrapeFormat.TEXT).text();
        return new Exposition(new String(text, StandardCharsets.UTF_8))
                .families().get(name).samples().stream()
                        .filter(sample -> sample.labels().equals(labels))
                        .mapToDouble(Exposition.Sample::value)
                        .findFirst()
                        .orElse(-1);
    }

    private double requests(String operation, String status) {
        return value("godwit_api_requests_total", Map.of("operation", operation, "status", status));
    }

    @Test
    void requestsAreCountedByOperationAndClassOfStatus() {
        assertThat(requests("listNodes", "2xx")).isEqualTo(-1);
        meters.answered("listNodes", 200);
        meters.answered("listNodes", 204);
        meters.answered("listNodes", 503);
        meters.answered("listNodes", 0);
        meters.answered(ApiCounts.NO_OPERATION, 404);
        assertThat(requests("listNodes", "2xx")).isEqualTo(2);
        assertThat(requests("listNodes", "5xx")).isEqualTo(1);
        assertThat(requests("listNodes", "gone")).isEqualTo(1);
        assertThat(requests("none", "4xx")).isEqualTo(1);
    }

    @Test
    void problemsAreCountedByKind() {
        assertThat(value("godwit_api_problems_total", Map.of("problem", "too-large")))
                .isZero();
        meters.problem("too-large");
        meters.problem("stale");
        assertThat(value("godwit_api_problems_total", Map.of("problem", "too-large")))
                .isEqualTo(1);
        assertThat(value("godwit_api_problems_total", Map.of("problem", "stale")))
                .isEqualTo(1);
    }

    @Test
    void boundsThatWereReachedAreCounted() {
        assertThat(value("godwit_api_requests_limited_total", Map.of("bound", "token")))
                .isZero();
        meters.limited(Bound.TOKEN);
        meters.connectionRefused(Bound.ADDRESS);
        meters.connectionRefused(Bound.ADDRESS);
        meters.connectionClosed(Cause.LATE);
        assertThat(value("godwit_api_requests_limited_total", Map.of("bound", "token")))
                .isEqualTo(1);
        assertThat(value("godwit_api_requests_limited_total", Map.of("bound", "all")))
                .isZero();
        assertThat(value("godwit_api_connections_refused_total", Map.of("bound", "address")))
                .isEqualTo(2);
        assertThat(value("godwit_api_connections_closed_total", Map.of("cause", "late")))
                .isEqualTo(1);
        assertThat(value("godwit_api_connections_closed_total", Map.of("cause", "replaced")))
                .isZero();
    }

    @Test
    void openConnectionsAreAGauge() {
        meters.connectionOpened();
        meters.connectionOpened();
        meters.connectionEnded();
        assertThat(value("godwit_api_connections", Map.of())).isEqualTo(1);
    }
}
