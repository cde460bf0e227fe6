package io.godwit.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Packet.Ack;
import io.godwit.it.wire.Properties;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Messages far beyond the usual, through a persistent session and over a kill. */
class LargeMessageTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int MIB = 1 << 20;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @Tag("full")
    @CsvSource({"4, 1, true", "5, 20, false"})
    void aLargeMessageSurvivesItsBroker(int version, int mebibytes, boolean earlyPush) throws Exception {
        survivesItsBroker(version, mebibytes, earlyPush);
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({"4, 1, false", "5, 20, true"})
    void theSameTheOtherWay(int version, int mebibytes, boolean earlyPush) throws Exception {
        survivesItsBroker(version, mebibytes, earlyPush);
    }

    private void survivesItsBroker(int version, int mebibytes, boolean earlyPush) throws Exception {
        try (BrokerProcess broker = new BrokerProcess(directory)
                .mqttSetting("maxPacketBytes", 24 * MIB)
                .property("inbox_store_early_push", earlyPush)) {
            broker.start();
            survives(broker, version, mebibytes);
        }
    }

    private static void survives(BrokerProcess broker, int version, int mebibytes) throws Exception {
        byte[] payload = new byte[mebibytes * MIB];
        new Random(mebibytes).nextBytes(payload);
        String name = "large-" + version + '-' + mebibytes;
        List<Runnable> withheld = new ArrayList<>();
        ClientConfig config = ClientConfig.of(broker.address(), name, version).withAcks(withheld::add);
        try (TestClient subscriber = new TestClient(config);
                TestClient publisher = new TestClient(ClientConfig.of(broker.address(), name + "-pub", version)
                        .withCleanSession())) {
            subscriber.connect();
            assertThat(subscriber.subscribe(name, 2)).isEqualTo(2);
            subscriber.disconnect();

            publisher.connect();
            for (int qos = 1; qos <= 2; qos++) {
                var done = publisher.publish(name, payload, qos, false, Properties.NONE);
                publisher.flush();
                Ack ack = done.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                assertThat(ack.code()).isZero();
            }
            broker.kill();
            broker.start();

            // in flight, over another kill
            assertThat(subscriber.connect().sessionPresent()).isTrue();
            int first = received(subscriber, payload, 1, false).packetId();
            broker.kill();
            broker.start();
            assertThat(subscriber.connect().sessionPresent()).isTrue();
            assertThat(received(subscriber, payload, 1, true).packetId()).isEqualTo(first);
        }
        try (TestClient subscriber = new TestClient(ClientConfig.of(broker.address(), name, version))) {
            assertThat(subscriber.connect().sessionPresent()).isTrue();
            received(subscriber, payload, 1, true);
            assertThat(subscriber.next(PATIENCE).payload()).isEqualTo(payload);

            // and to one who is there
            try (TestClient publisher = new TestClient(
                    ClientConfig.of(broker.address(), name + "-pub", version).withCleanSession())) {
                publisher.connect();
                var done = publisher.publish(name, payload, 1, false, Properties.NONE);
                publisher.flush();
                assertThat(done.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).code())
                        .isZero();
            }
            received(subscriber, payload, 1, false);
            assertThat(subscriber.next(Duration.ofMillis(200))).isNull();
        }
    }

    private static Packet.Publish received(TestClient subscriber, byte[] payload, int qos, boolean dup)
            throws InterruptedException {
        Packet.Publish message;
        do {
            message = subscriber.next(PATIENCE);
            assertThat(message).isNotNull();
        } while (message.qos() != qos); // the other one is in flight, too
        assertThat(message.payload()).isEqualTo(payload);
        assertThat(message.dup()).isEqualTo(dup);
        return message;
    }
}
