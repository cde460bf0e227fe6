package io.godwit.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Properties;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the packaged broker takes its configuration from, before and while it runs. */
class ConfigurationTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    @Test
    void environmentAndFileAreReadAndTheFileAgainWhenItChanges() throws Exception {
        try (BrokerProcess broker = new BrokerProcess(directory)
                .mqttSetting("receiveMaximum", 11)
                .mqttSetting("topicAliasMaximum", "${NOT_SET:-12}")
                .mqttSetting("maxPacketBytes", "1MB")
                .environment("GODWIT_MQTT_SERVER_CONFIG_RECEIVE_MAXIMUM", "13")) {
            broker.start();
            assertThat(announced(broker, Properties.RECEIVE_MAXIMUM)).isEqualTo(13);
            assertThat(announced(broker, Properties.TOPIC_ALIAS_MAXIMUM)).isEqualTo(12);
            assertThat(announced(broker, Properties.MAXIMUM_PACKET_SIZE)).isEqualTo(1 << 20);

            broker.mqttSetting("topicAliasMaximum", "many").writeConfiguration();
            await(
                    "the mistake to be told",
                    () -> broker.status().contains("topicAliasMaximum: must be a whole number"));
            assertThat(announced(broker, Properties.TOPIC_ALIAS_MAXIMUM)).isEqualTo(12);

            broker.mqttSetting("topicAliasMaximum", 14)
                    .mqttSetting("eventLoops", 1)
                    .writeConfiguration();
            await("the new value", () -> announced(broker, Properties.TOPIC_ALIAS_MAXIMUM) == 14);
            assertThat(announced(broker, Properties.RECEIVE_MAXIMUM)).isEqualTo(13);
            await("what needs a restart", () -> broker.status().contains("a restart for mqttServerConfig.eventLoops"));
        }
    }

    private static long announced(BrokerProcess broker, int property) throws IOException {
        try (TestClient client =
                new TestClient(ClientConfig.of(broker.address(), "asks", 5).withCleanSession())) {
            return client.connect().properties().number(property).orElse(-1);
        }
    }

    private interface Condition {
        boolean holds() throws IOException;
    }

    private static void await(String what, Condition condition) throws IOException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.holds()) {
            assertThat(System.nanoTime()).as("time until %s", what).isLessThan(end);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        }
    }
}
