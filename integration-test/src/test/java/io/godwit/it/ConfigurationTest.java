package io.godwit.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
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
            Await.until(
                    "the mistake to be told",
                    PATIENCE,
                    () -> broker.status().contains("topicAliasMaximum: must be a whole number"));
            assertThat(announced(broker, Properties.TOPIC_ALIAS_MAXIMUM)).isEqualTo(12);

            broker.mqttSetting("topicAliasMaximum", 14)
                    .mqttSetting("eventLoops", 1)
                    .writeConfiguration();
            Await.until("the new value", PATIENCE, () -> announced(broker, Properties.TOPIC_ALIAS_MAXIMUM) == 14);
            assertThat(announced(broker, Properties.RECEIVE_MAXIMUM)).isEqualTo(13);
            Await.until(
                    "what needs a restart",
                    PATIENCE,
                    () -> broker.status().contains("a restart for mqttServerConfig.eventLoops"));
        }
    }

    private static long announced(BrokerProcess broker, int property) throws IOException {
        try (TestClient client =
                new TestClient(ClientConfig.of(broker.address(), "asks", 5).withCleanSession())) {
            return client.connect().properties().number(property).orElse(-1);
        }
    }
}
