package io.godwit.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Properties;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What operators may switch on for topics, on the packaged broker: what holds state holds it over a kill. */
class TopicConveniencesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration BRIEF = Duration.ofMillis(200);

    @TempDir
    private Path directory;

    @Test
    void delayedMessagesAndExclusiveSubscriptionsOutliveAKill() throws Exception {
        try (BrokerProcess broker = new BrokerProcess(directory)
                .setting(
                        "topicConfig",
                        "{delayedPublish: {maxSeconds: 60}, exclusiveSubscriptions: true, sysIntervalSeconds: "
                                + "1, autoSubscriptions: \"auto/%c 1\","
                                + " rewrite: [\"publish old/# ^old/(.*)$ auto/$1\"]}")) {
            broker.start();
            try (TestClient holder = client(broker, "holder");
                    TestClient publisher = client(broker, "publisher")) {
                holder.connect();
                publisher.connect();
                assertThat(holder.subscribe("$exclusive/e/+", 1)).isEqualTo(1);
                assertThat(holder.subscribe("later/+", 2)).isEqualTo(2);
                publisher.publish("$delayed/1/later/1", "soon", 1).get(10, TimeUnit.SECONDS);
                assertThat(text(holder.next(PATIENCE))).isEqualTo("later/1 soon");

                publisher.publish("$delayed/3/later/1", "one", 1).get(10, TimeUnit.SECONDS);
                publisher.publish("$delayed/3/later/2", "two", 2).get(10, TimeUnit.SECONDS);
                publisher.publish(
                        "$delayed/3/later/3", "three".getBytes(StandardCharsets.UTF_8), 1, true, Properties.NONE);
                publisher.publish("e/1", "last", 1).get(10, TimeUnit.SECONDS);
                assertThat(text(holder.next(PATIENCE))).isEqualTo("e/1 last");
                // the first SUBACK is read after its acknowledgement was sent, the second one comes after that is
                // committed: the
                // kill can not bring it again
                assertThat(holder.subscribe("barrier", 0)).isZero();
                assertThat(holder.subscribe("barrier", 0)).isZero();
            }
            broker.kill();
            broker.start();
            try (TestClient other = client(broker, "other");
                    TestClient holder = client(broker, "holder")) {
                other.connect();
                assertThat(other.subscribe("$exclusive/e/+", 1))
                        .as("a session without a connection holds the filter")
                        .isEqualTo(0x97);
                assertThat(holder.connect().sessionPresent()).isTrue();
                assertThat(new String[] {
                            text(holder.next(PATIENCE)), text(holder.next(PATIENCE)), text(holder.next(PATIENCE))
                        })
                        .containsExactlyInAnyOrder("later/1 one", "later/2 two", "later/3 three");
                assertThat(holder.next(BRIEF)).isNull();
                other.subscribe("later/#", 1);
                Packet.Publish retained = other.next(PATIENCE);
                assertThat(text(retained)).isEqualTo("later/3 three");

                other.subscribe("$SYS/broker/version", 0);
                assertThat(text(other.next(PATIENCE))).startsWith("$SYS/broker/version Godwit ");
                other.unsubscribe("$SYS/broker/version");
                Packet.Ack refused =
                        other.publish("$SYS/broker/version", "mine", 1).get(10, TimeUnit.SECONDS);
                assertThat(refused).isNotNull();
                assertThat(refused.code()).isEqualTo(0x87);

                holder.unsubscribe("$exclusive/e/+");
                assertThat(other.subscribe("$exclusive/e/+", 1)).isEqualTo(1);
                holder.publish("old/other", "renamed", 1);
                assertThat(text(other.next(PATIENCE))).isEqualTo("auto/other renamed");
            }
        }
    }

    private static TestClient client(BrokerProcess broker, String name) {
        return new TestClient(ClientConfig.of(broker.address(), name, 5));
    }

    private static String text(Packet.Publish publish) {
        assertThat(publish).isNotNull();
        return publish.topic() + " " + new String(publish.payload(), StandardCharsets.UTF_8);
    }
}
