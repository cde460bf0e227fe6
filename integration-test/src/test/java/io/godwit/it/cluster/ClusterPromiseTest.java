package io.godwit.it.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Properties;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What two packaged brokers of one cluster answer publishes that live sessions of the other one would not get. */
class ClusterPromiseTest {
    private static final int REFUSED = 0x83;

    @TempDir
    private Path directory;

    @Test
    void noPublishIsAcknowledgedThatTheOtherNodesSessionsWouldMiss() throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(directory, 2, false)) {
            cluster.start();
            String id = cluster.clientAt(0, cluster.ranges(0, "inbox"), "client");
            try (TestClient client =
                    new TestClient(ClientConfig.of(cluster.node(0).address(), id, 5))) {
                assertThat(client.connect().code()).isZero();
                assertThat(client.subscribe("a/#", 2)).isEqualTo(2);
                for (int qos = 1; qos <= 2; qos++) {
                    for (boolean retain : new boolean[] {false, true}) {
                        var ack = client.publish("a/" + qos, "x".getBytes(UTF_8), qos, retain, Properties.NONE);
                        client.flush();
                        assertThat(Objects.requireNonNull(ack.get(10, TimeUnit.SECONDS), "an answer")
                                        .code())
                                .as("QoS %s retain %s", qos, retain)
                                .isEqualTo(REFUSED);
                    }
                }
                client.publish("a/0", "x", 0);
                client.flush();
                Packet.Publish first = client.next(Duration.ofSeconds(10));
                assertThat(first).as("what is served").isNotNull();
                assertThat(first.topic()).isEqualTo("a/0");
            }
        }
    }
}
