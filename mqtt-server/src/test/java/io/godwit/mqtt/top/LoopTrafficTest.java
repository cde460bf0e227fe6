package io.godwit.mqtt.top;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class LoopTrafficTest {
    private static final long MINUTE = 60_000;

    private final AtomicLong millis = new AtomicLong(1_000 * MINUTE);
    private final LoopTraffic traffic = new LoopTraffic(millis::get);

    private static ClientInfo client(String id) {
        return new ClientInfo(TenantId.DEFAULT, new ClientId(id), null, "192.0.2.7:4000", 5);
    }

    private Message message(String topic, int bytes) {
        return new Message(topic, new byte[bytes], Qos.AT_MOST_ONCE, false, millis.get(), MessageProperties.NONE);
    }

    private TrafficCount first(TrafficKind kind) {
        return traffic.counts(kind).stream()
                .max(Comparator.comparingLong(TrafficCount::count))
                .orElseThrow();
    }

    @Test
    void aQuietNodeTellsExactlyWhatThereWas() {
        for (int i = 0; i < 10; i++) {
            traffic.received(client("a"), message("t", 7));
            traffic.sent(client("b"), message("t", 7));
            traffic.sent(client("b"), message("t", 7));
        }
        assertThat(first(TrafficKind.TOPICS).key()).isEqualTo(new TrafficKey("default", "t"));
        assertThat(first(TrafficKind.TOPICS).count()).isEqualTo(10);
        assertThat(first(TrafficKind.CLIENTS_BY_MESSAGES))
                .isEqualTo(new TrafficCount(new TrafficKey("default", "b"), 20, 0, 0, 20, 0, 140));
    }

    /** The distances are unpredictable, but each sample stands for all messages since the one before. */
    @Test
    void aBusyLoopIsEstimated() {
        for (int i = 0; i < 200_000; i++) {
            traffic.received(client(i % 4 == 0 ? "small" : "large"), message(i % 2 == 0 ? "even" : "odd", 10));
        }
        assertThat(first(TrafficKind.CLIENTS_BY_MESSAGES).key().name()).isEqualTo("large");
        assertThat(first(TrafficKind.CLIENTS_BY_MESSAGES).messagesIn())
                .isCloseTo(150_000, Percentage.withPercentage(12));
        long all = traffic.counts(TrafficKind.TOPICS).stream()
                .mapToLong(TrafficCount::count)
                .sum();
        assertThat(all).isBetween(200_000L - 2 * LoopTraffic.ONE_OF, 200_000L);
    }

    @Test
    void bytesAndMessagesHaveDifferentFirsts() {
        for (int i = 0; i < 100; i++) {
            traffic.received(client("often"), message("t", 1));
        }
        traffic.received(client("large"), message("t", 5_000));
        assertThat(first(TrafficKind.CLIENTS_BY_MESSAGES).key().name()).isEqualTo("often");
        assertThat(first(TrafficKind.CLIENTS_BY_BYTES).key().name()).isEqualTo("large");
        assertThat(first(TrafficKind.CLIENTS_BY_BYTES).bytesIn()).isEqualTo(5_000);
    }

    @Test
    void aMinuteFades() {
        for (int i = 0; i < 100; i++) {
            traffic.received(client("a"), message("t", 1));
        }
        millis.addAndGet(MINUTE);
        assertThat(first(TrafficKind.TOPICS).count()).isEqualTo(100);
        millis.addAndGet(MINUTE / 4);
        assertThat(first(TrafficKind.TOPICS).count()).isEqualTo(75);
        traffic.received(client("a"), message("t", 1));
        assertThat(first(TrafficKind.TOPICS).count()).isEqualTo(76);
        millis.addAndGet(2 * MINUTE);
        assertThat(traffic.counts(TrafficKind.TOPICS)).isEmpty();
    }

    /** The wall clock may step. */
    @Test
    void aClockThatGoesBackHarmsNobody() {
        traffic.received(client("a"), message("t", 1));
        millis.addAndGet(-10 * MINUTE);
        traffic.received(client("a"), message("t", 1));
        assertThat(first(TrafficKind.TOPICS).count()).isEqualTo(1);
    }

    /** Clients choose how many topics there are, and how long they are. */
    @Test
    void memoryIsBounded() {
        for (int i = 0; i < 5_000; i++) {
            traffic.received(client("c" + i), message("t".repeat(1_000) + i, 1));
            traffic.received(client("c" + i), message(i + "t".repeat(1_000), 1));
        }
        List<TrafficCount> topics = traffic.counts(TrafficKind.TOPICS);
        assertThat(topics).hasSizeLessThanOrEqualTo(LoopTraffic.KEYS);
        assertThat(topics)
                .allSatisfy(topic -> assertThat(topic.key().name()).hasSizeLessThanOrEqualTo(TrafficKey.MAX_NAME));
        assertThat(traffic.counts(TrafficKind.CLIENTS_BY_MESSAGES)).hasSizeLessThanOrEqualTo(LoopTraffic.KEYS);
    }
}
