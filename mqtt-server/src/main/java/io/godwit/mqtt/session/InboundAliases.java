package io.godwit.mqtt.session;

import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.ReasonCode;
import org.jspecify.annotations.Nullable;

/** The topic aliases a client has set up on its connection (MQTT 5.0, 3.3.2.3.4). Confined to the loop of its session. */
final class InboundAliases {
    private final @Nullable String[] topics;

    InboundAliases(int maximum) {
        topics = new @Nullable String[maximum];
    }

    /** The topic that {@code publish}, which carries an alias, means; remembers it when it names one. */
    String resolve(Publish publish) {
        int alias = publish.topicAlias();
        if (alias > topics.length) {
            throw new ProtocolException(
                    ReasonCode.TOPIC_ALIAS_INVALID, "topic alias " + alias + " above the maximum " + topics.length);
        }
        if (!publish.topic().isEmpty()) {
            topics[alias - 1] = publish.topic();
            return publish.topic();
        }
        String topic = topics[alias - 1];
        if (topic == null) {
            throw new ProtocolException(ReasonCode.PROTOCOL_ERROR, "topic alias " + alias + " was never set");
        }
        return topic;
    }
}
