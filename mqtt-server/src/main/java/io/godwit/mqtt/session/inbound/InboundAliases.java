package io.godwit.mqtt.session.inbound;

import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.field.ReasonCode;
import org.jspecify.annotations.Nullable;

/**
 * The topic aliases a client has set up on its connection (MQTT 5.0, 3.3.2.3.4). Confined to the loop of its session.
 */
final class InboundAliases {
    /** For all topics together: enough for one of the greatest length, or for many short ones. */
    static final int MAX_CHARS = 65_536;

    private final @Nullable String[] topics;
    private int chars;

    InboundAliases(int maximum) {
        topics = new @Nullable String[maximum];
    }

    /** The topic of {@code publish}, which carries an alias; remembers the topic when the packet names one. */
    String resolve(Publish publish) {
        int alias = publish.topicAlias();
        if (alias > topics.length) {
            throw new ProtocolException(
                    ReasonCode.TOPIC_ALIAS_INVALID, "topic alias " + alias + " above the maximum " + topics.length);
        }
        if (!publish.topic().isEmpty()) {
            remember(alias, publish.topic());
            return publish.topic();
        }
        String topic = topics[alias - 1];
        if (topic == null) {
            throw new ProtocolException(ReasonCode.PROTOCOL_ERROR, "topic alias " + alias + " was never set");
        }
        return topic;
    }

    private void remember(int alias, String topic) {
        String before = topics[alias - 1];
        chars += topic.length() - (before == null ? 0 : before.length());
        if (chars > MAX_CHARS) {
            throw new ProtocolException(
                    ReasonCode.QUOTA_EXCEEDED, "topic aliases for more than " + MAX_CHARS + " characters");
        }
        topics[alias - 1] = topic;
    }
}
