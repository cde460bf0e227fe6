package io.godwit.it.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PublishResult;
import com.hivemq.client.mqtt.mqtt5.message.publish.puback.Mqtt5PubAckReasonCode;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.PluginInstallation;
import io.godwit.it.broker.Ports;
import io.godwit.testing.Await;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The sample plugins but for the balancer, built by their own poms, in one packaged broker. */
@Tag("full")
@Timeout(600)
class ExamplePluginsTest {
    @TempDir
    private Path directory;

    private static Mqtt5BlockingClient connected(BrokerProcess broker, String id) {
        Mqtt5BlockingClient client = Mqtt5Client.builder()
                .identifier(id)
                .serverHost("127.0.0.1")
                .serverPort(broker.address().getPort())
                .buildBlocking();
        client.connect();
        return client;
    }

    private static Mqtt5PubAckReasonCode publish(Mqtt5BlockingClient client, String topic, byte[] payload) {
        return ((Mqtt5PublishResult.Mqtt5Qos1Result) client.publishWith()
                        .topic(topic)
                        .qos(MqttQos.AT_LEAST_ONCE)
                        .payload(payload)
                        .userProperties()
                        .add("internal-id", "7")
                        .add("publisher", "somebody else")
                        .applyUserProperties()
                        .send())
                .getPubAck()
                .getReasonCode();
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String told(Mqtt5Publish publish) {
        return new String(publish.getPayloadAsBytes(), StandardCharsets.UTF_8);
    }

    @Test
    void theyDoWhatTheirPagesSay() throws Exception {
        PluginInstallation installation = new PluginInstallation(directory);
        for (String each : List.of("event-listener", "publish-interceptor", "deliver-interceptor", "user-properties")) {
            Path place = Files.createDirectory(directory.resolve(each));
            installation.take(ExampleProject.build(place, each));
        }
        try (BrokerProcess broker = new BrokerProcess(directory.resolve("broker"))
                .installedIn(installation.path())
                .setting("apiServerConfig", "{port: " + Ports.free().getPort() + ", checkAnswers: true}")
                .setting(
                        "pluginConfig",
                        "{eventListeners: [audit-trail], publishInterceptors: [payload-check], "
                                + "deliverInterceptors: [redact], userProperties: [stamp]}")
                .setting(
                        "plugins",
                        "{audit-trail: {maxBytes: 1MB}, payload-check: {below: chat}, "
                                + "redact: {below: payroll, cleared: [accounting]}}")) {
            broker.start();
            Mqtt5BlockingClient accounting = connected(broker, "accounting");
            Mqtt5BlockingClient curious = connected(broker, "curious");
            Mqtt5BlockingClient publisher = connected(broker, "publisher");
            try (Mqtt5BlockingClient.Mqtt5Publishes forAccounting = accounting.publishes(MqttGlobalPublishFilter.ALL);
                    Mqtt5BlockingClient.Mqtt5Publishes forCurious = curious.publishes(MqttGlobalPublishFilter.ALL)) {
                for (Mqtt5BlockingClient each : List.of(accounting, curious)) {
                    each.subscribeWith()
                            .topicFilter("#")
                            .qos(MqttQos.AT_LEAST_ONCE)
                            .send();
                }
                assertThat(publish(publisher, "chat/a", new byte[] {(byte) 0xFF}))
                        .isEqualTo(Mqtt5PubAckReasonCode.NO_MATCHING_SUBSCRIBERS);
                assertThat(publish(publisher, "chat/a", text("hello"))).isEqualTo(Mqtt5PubAckReasonCode.SUCCESS);
                assertThat(publish(publisher, "payroll/june", text("1,000"))).isEqualTo(Mqtt5PubAckReasonCode.SUCCESS);
                for (Mqtt5BlockingClient.Mqtt5Publishes each : List.of(forAccounting, forCurious)) {
                    Mqtt5Publish chat = each.receive(60, TimeUnit.SECONDS).orElseThrow();
                    assertThat(told(chat)).isEqualTo("hello");
                    assertThat(chat.getPayloadFormatIndicator()).isPresent();
                    assertThat(chat.getUserProperties().asList())
                            .extracting(property -> property.getName() + "=" + property.getValue())
                            .containsExactly("publisher=publisher");
                    assertThat(told(each.receive(60, TimeUnit.SECONDS).orElseThrow()))
                            .isEqualTo(each == forAccounting ? "1,000" : "redacted");
                }
            }
            Path trail = broker.data().resolve("plugins/audit-trail/audit.log");
            Await.until("the trail has them", () -> Files.readString(trail).contains("accounting"));
            for (String plugin : List.of("audit-trail", "payload-check", "redact", "stamp")) {
                assertThat(installation.use(broker, plugin).get("failures").getAsLong())
                        .as(plugin)
                        .isZero();
            }
        }
    }
}
