package io.godwit.mqtt.packet;

import io.godwit.plugin.message.UserProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The last packet of a connection, from either side; under MQTT 3.1 and 3.1.1 from the client only and without a
 * reason.
 *
 * @param sessionExpirySeconds -1 absent, else 0 to 4,294,967,295; from the client only [MQTT5-3.14.2-2]
 * @param serverReference null when absent; from the server only
 */
public record Disconnect(
        ReasonCode reasonCode,
        long sessionExpirySeconds,
        @Nullable String reasonString,
        List<UserProperty> userProperties,
        @Nullable String serverReference)
        implements Packet {
    /** A normal end: the will is discarded [MQTT5-3.14.4-3]. */
    public static final Disconnect NORMAL = new Disconnect(ReasonCode.SUCCESS, null);

    public Disconnect {
        userProperties = List.copyOf(userProperties);
    }

    public Disconnect(ReasonCode reasonCode, @Nullable String reasonString) {
        this(reasonCode, -1, reasonString, List.of(), null);
    }
}
