package io.godwit.mqtt.packet;

import io.godwit.plugin.message.UserProperty;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;

/**
 * A client removes subscriptions.
 *
 * @param packetId 1 to 65,535
 * @param filters at least one [MQTT5-3.10.3-2]
 */
public record Unsubscribe(int packetId, List<TopicFilter> filters, List<UserProperty> userProperties)
        implements Packet {
    public Unsubscribe {
        PacketIds.check(packetId);
        filters = List.copyOf(filters);
        userProperties = List.copyOf(userProperties);
    }

    public Unsubscribe(int packetId, List<TopicFilter> filters) {
        this(packetId, filters, List.of());
    }
}
