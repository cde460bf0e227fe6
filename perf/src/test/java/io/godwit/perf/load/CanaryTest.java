package io.godwit.perf.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.testing.Await;
import io.vertx.mqtt.messages.MqttPublishMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CanaryTest {
    private static final int RATE = 500;
    private static final Duration LIMIT = Duration.ofSeconds(1);
    /** Relative error of histograms, which keep three digits and round down. */
    private static final double ROUNDING = 1e-3;

    private final FakeNodes nodes;

    CanaryTest() throws Exception {
        nodes = new FakeNodes(2);
    }

    @AfterEach
    void close() throws Exception {
        nodes.close();
    }

    private Canary canary() {
        return new Canary(nodes.settings(0), nodes.settings(1), RATE, Duration.ofSeconds(60));
    }

    private static Instant after(Canary canary, int messages) {
        Await.until(
                "it has sent", () -> canary.between(Instant.MIN, Instant.now()).due() >= messages);
        return Instant.now();
    }

    private static int sequence(MqttPublishMessage message) {
        return message.payload().getInt(12);
    }

    @Test
    void latencyIsToldOfTheTimeThatIsAskedFor() throws Exception {
        Map<Integer, Instant> intended = new ConcurrentHashMap<>();
        nodes.delayed = message -> {
            intended.put(
                    sequence(message), Instant.EPOCH.plusNanos(message.payload().getLong(0)));
            return sequence(message) >= 100 && sequence(message) < 300;
        };
        try (Canary canary = canary()) {
            canary.start();
            after(canary, 400);
            canary.stop(Await.PATIENCE);

            Instant slow = intended.get(100);
            Instant slowEnd = intended.get(300);
            Canary.Heard meanwhile = canary.between(slow, slowEnd);
            assertThat(meanwhile.due()).isEqualTo(200);
            assertThat(meanwhile.latency().min()).isGreaterThanOrEqualTo(FakeNodes.DELAY_MILLIS * (1 - ROUNDING));
            assertThat(canary.between(Instant.MIN, slow).due()).isEqualTo(100);
            assertThat(canary.between(slowEnd, Instant.MAX).latency().min()).isLessThan(FakeNodes.DELAY_MILLIS);
            assertThat(canary.between(Instant.MIN, Instant.MAX))
                    .matches(all -> all.due() >= 400 && all.lost() == 0 && all.unserved() == 0)
                    .matches(all -> all.latency().count() == all.due());
        }
    }

    @Test
    void whatWasAcknowledgedAndDidNotComeIsLost() throws Exception {
        nodes.swallowed = message -> sequence(message) == 3;
        try (Canary canary = canary()) {
            canary.start();
            after(canary, 20);
            canary.stop(LIMIT);

            Canary.Heard all = canary.between(Instant.MIN, Instant.MAX);
            assertThat(all.lost()).isEqualTo(1);
            assertThat(all.unserved()).isZero();
        }
    }

    @Test
    void whatWasNotAcknowledgedIsUnserved() throws Exception {
        nodes.ignored = message -> sequence(message) == 3;
        try (Canary canary = canary()) {
            canary.start();
            after(canary, 20);
            canary.stop(LIMIT);

            Canary.Heard all = canary.between(Instant.MIN, Instant.MAX);
            assertThat(all.lost()).isZero();
            assertThat(all.unserved()).isEqualTo(1);
        }
    }

    /** Otherwise messages that were due and could not be sent would be missing in the figures. */
    @Test
    void whatCouldNotBeSentIsUnserved() throws Exception {
        try (Canary canary = canary()) {
            canary.start();
            after(canary, 20);
            nodes.die(0);
            Instant dead = Instant.now();
            Await.until(
                    "more was due", () -> canary.between(dead, Instant.now()).due() >= 150);
            canary.stop(LIMIT);

            assertThat(canary.between(dead, Instant.MAX).unserved()).isGreaterThanOrEqualTo(100);
        }
    }

    @Test
    void aPairThatCannotConnectEndsTheLoad() throws Exception {
        nodes.die(0);
        try (Canary canary = canary()) {
            assertThatThrownBy(canary::start)
                    .isInstanceOf(LoadFailedException.class)
                    .hasMessageContaining("could not connect");
        }
    }
}
