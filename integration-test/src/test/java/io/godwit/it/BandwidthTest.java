package io.godwit.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Packet.Ack;
import io.godwit.it.wire.Properties;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The limit of bandwidth as it comes, which all other tests switch off. */
class BandwidthTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int DEFAULT_BYTES_PER_SECOND = 524_288;
    private static final int MESSAGES = 100;
    private static final int BYTES = 16 * 1024;

    @TempDir
    private Path directory;

    @Test
    void twoSecondsWorthArriveWholeAndHeldBack() throws Exception {
        try (BrokerProcess broker =
                new BrokerProcess(directory).mqttSetting("maxConnBandwidth", DEFAULT_BYTES_PER_SECOND)) {
            broker.start();
            try (TestClient subscriber = new TestClient(ClientConfig.of(broker.address(), "held-sub", 5));
                    TestClient publisher = new TestClient(
                            ClientConfig.of(broker.address(), "held-pub", 5).withCleanSession())) {
                subscriber.connect();
                subscriber.subscribe("held", 1);
                publisher.connect();
                long begun = System.nanoTime();
                List<CompletableFuture<Ack>> acks = publish(publisher);
                for (int i = 0; i < MESSAGES; i++) {
                    Packet.Publish message = subscriber.next(PATIENCE);
                    assertThat(message).isNotNull();
                    assertThat(ByteBuffer.wrap(message.payload()).getInt()).isEqualTo(i);
                }
                Duration took = Duration.ofNanos(System.nanoTime() - begun);
                for (CompletableFuture<Ack> ack : acks) {
                    assertThat(ack.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).code())
                            .isZero();
                }
                // a second's worth may come at once
                assertThat(took)
                        .isGreaterThan(Duration.ofMillis(
                                ((long) MESSAGES * BYTES - DEFAULT_BYTES_PER_SECOND) * 900 / DEFAULT_BYTES_PER_SECOND));
            }
            broker.stop();
            assertThat(broker.said()).doesNotContain("slow-consumers", "dropped");
        }
    }

    private static List<CompletableFuture<Ack>> publish(TestClient publisher) throws Exception {
        List<CompletableFuture<Ack>> acks = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            byte[] payload = ByteBuffer.allocate(BYTES).putInt(i).array();
            acks.add(publisher.publish("held", payload, 1, false, Properties.NONE));
            publisher.flush();
        }
        return acks;
    }
}
