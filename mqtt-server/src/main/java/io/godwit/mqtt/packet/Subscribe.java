package io.godwit.mqtt.packet;

import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.plugin.message.UserProperty;
import java.util.List;

/**
 * A client requests subscriptions.
 *
 * @param packetId 1 to 65,535
 * @param subscriptions at least one [MQTT5-3.8.3-2], in the order of the packet: the SUBACK answers in the same order
 * @param subscriptionId -1 absent, else 1 to 268,435,455, for all of them
 */
public record Subscribe(
        int packetId, List<Subscription> subscriptions, int subscriptionId, List<UserProperty> userProperties)
        implements Packet {
    public Subscribe {
        PacketIds.check(packetId);
        subscriptions = List.copyOf(subscriptions);
        userProperties = List.copyOf(userProperties);
    }

    public Subscribe(int packetId, List<Subscription> subscriptions) {
        this(packetId, subscriptions, -1, List.of());
    }
}
