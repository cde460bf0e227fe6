package io.godwit.broker.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.LinkStats;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LinkMetersTest {
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final List<LinkStats> links = new ArrayList<>();
    private long nanos;

    LinkMetersTest() {
        LinkMeters.register(meters, () -> List.copyOf(links), () -> nanos);
    }

    @Test
    void aLaneIsTheSumOverNodesAndTheSlowest() {
        links.add(link("a", Lane.LIVE, true, 10, 300_000));
        links.add(link("b", Lane.LIVE, true, 5, 2_000_000));
        links.add(link("c", Lane.LIVE, false, 1, 900_000_000)); // what is not connected has no round trip now
        links.add(link("a", Lane.CONTROL, true, 100, 1));
        assertThat(count("sent.frames", "live")).isEqualTo(16);
        assertThat(count("received", "live")).isEqualTo(16 * 300);
        assertThat(gauge("peers", "live")).isEqualTo(3);
        assertThat(gauge("connected", "live")).isEqualTo(2);
        assertThat(gauge("waiting", "live")).isEqualTo(3 * 7);
        assertThat(gauge("round.trip", "live")).isEqualTo(0.002);
        assertThat(count("sent.frames", "control")).isEqualTo(100);
        assertThat(gauge("connected", "inbox_up")).isZero();
    }

    @Test
    void counterGoesOnWhenANodeHasLeft() {
        links.add(link("a", Lane.LIVE, true, 1_000, 0));
        links.add(link("b", Lane.LIVE, true, 10, 0));
        assertThat(count("sent.frames", "live")).isEqualTo(1_010);
        later();
        links.clear();
        links.add(link("b", Lane.LIVE, true, 15, 0));
        assertThat(count("sent.frames", "live")).isEqualTo(1_015);
        later();
        links.add(link("a", Lane.LIVE, true, 3, 0)); // it is back, and is counted from the beginning
        assertThat(count("sent.frames", "live")).isEqualTo(1_018);
    }

    @Test
    void linksAreLookedAtOnceForAllMetersOfAScrape() {
        links.add(link("a", Lane.LIVE, true, 1, 0));
        assertThat(count("sent.frames", "live")).isEqualTo(1);
        links.add(link("b", Lane.LIVE, true, 1, 0));
        assertThat(count("sent", "live")).isEqualTo(200);
        later();
        assertThat(count("sent", "live")).isEqualTo(400);
    }

    private void later() {
        nanos += 500_000_000;
    }

    private static LinkStats link(String node, Lane lane, boolean isConnected, long frames, long roundTripNanos) {
        return new LinkStats(
                node, lane, true, isConnected, frames, 200 * frames, 0, frames, 300 * frames, 7, roundTripNanos);
    }

    private double count(String name, String lane) {
        return meters.get("godwit.links." + name)
                .tag("lane", lane)
                .functionCounter()
                .count();
    }

    private double gauge(String name, String lane) {
        return meters.get("godwit.links." + name).tag("lane", lane).gauge().value();
    }
}
