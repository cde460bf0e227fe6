package io.godwit.mqtt.intercept;

import io.godwit.mqtt.topic.ClientTopics;
import io.godwit.mqtt.topic.TopicLimits;
import io.godwit.mqtt.topic.TopicRules;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.UserProperty;
import io.godwit.plugin.topic.TopicName;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Limits for messages that interceptors have changed: the same as for messages of clients.
 *
 * @param maxBytes of a PUBLISH of MQTT 5.0
 */
public record MessageBounds(int maxBytes) {
    /** Unless the original message had more. */
    private static final int MAX_USER_PROPERTIES = 1_000;

    private static final int MAX_TEXT_BYTES = 65_535;
    /** Packet type, lengths and packet identifier, and the identifiers of properties. */
    private static final int FRAME_BYTES = 32;

    /** The rules for a changed publish. */
    public ChangeRules ofPublish(TopicLimits limits, TopicRules rules) {
        return (before, after) -> {
            String topic = after.topic();
            if (after.qos().value() > before.qos().value()) {
                return "the QoS is higher";
            }
            if (!topic.equals(before.topic())
                    && (!TopicName.isValid(topic)
                            || !limits.allow(topic)
                            || !isText(topic)
                            || ClientTopics.UNCHANGED.refusal(rules, topic) != null)) {
                return "nobody may publish to the topic";
            }
            return wrongWithContent(before, after);
        };
    }

    /** The rules for a changed copy for one client. */
    public ChangeRules ofDelivery() {
        return (before, after) -> !after.topic().equals(before.topic())
                        || after.qos() != before.qos()
                        || after.retain() != before.retain()
                ? "it has another topic, QoS or RETAIN flag"
                : wrongWithContent(before, after);
    }

    /** Why this cannot be sent to clients, apart from its topic; null when it can. */
    public @Nullable String wrongWith(Message message) {
        return wrongWithContent(message.withProperties(MessageProperties.NONE), message);
    }

    private @Nullable String wrongWithContent(Message before, Message message) {
        MessageProperties properties = message.properties();
        String response = properties.responseTopic();
        if (response != null && (!TopicName.isValid(response) || !isText(response))) {
            return "the response topic is not a valid topic name";
        }
        byte[] correlation = properties.correlationData();
        String contentType = properties.contentType();
        int already = before.properties().userProperties().size();
        if (properties.userProperties().size() > Math.max(already, MAX_USER_PROPERTIES)
                || correlation != null && correlation.length > MAX_TEXT_BYTES
                || contentType != null && !isText(contentType)) {
            return "a property is too long, or there are too many";
        }
        long bytes = FRAME_BYTES + bytes(message.topic()) + message.payload().length;
        bytes += correlation == null ? 0 : correlation.length;
        bytes += contentType == null ? 0 : bytes(contentType);
        bytes += response == null ? 0 : bytes(response);
        for (UserProperty each : properties.userProperties()) {
            if (!isText(each.name()) || !isText(each.value())) {
                return "a user property is too long, or not valid text";
            }
            bytes += 5 + bytes(each.name()) + bytes(each.value());
        }
        return bytes > maxBytes ? "more than " + maxBytes + " bytes" : null;
    }

    /** Whether MQTT can carry the text [MQTT5-1.5.4-1], [MQTT5-1.5.4-2]. */
    private static boolean isText(String text) {
        return bytes(text) <= MAX_TEXT_BYTES
                && text.indexOf(0) < 0
                && StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }

    private static long bytes(String text) {
        long bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            bytes += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
        }
        return bytes;
    }
}
