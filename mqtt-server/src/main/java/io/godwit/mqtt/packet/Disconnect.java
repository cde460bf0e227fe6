package io.godwit.mqtt.packet;

import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.UserProperty;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
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

    /** The codes of a server [MQTT5-3.14.2-1]: every code of the table except those of clients only. */
    public static final Set<ReasonCode> FROM_SERVER = Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(
            ReasonCode.GRANTED_QOS_1,
            ReasonCode.GRANTED_QOS_2,
            ReasonCode.DISCONNECT_WITH_WILL,
            ReasonCode.NO_MATCHING_SUBSCRIBERS,
            ReasonCode.NO_SUBSCRIPTION_EXISTED,
            ReasonCode.CONTINUE_AUTHENTICATION,
            ReasonCode.RE_AUTHENTICATE,
            ReasonCode.UNSUPPORTED_PROTOCOL_VERSION,
            ReasonCode.CLIENT_IDENTIFIER_NOT_VALID,
            ReasonCode.BAD_USER_NAME_OR_PASSWORD,
            ReasonCode.SERVER_UNAVAILABLE,
            ReasonCode.BANNED,
            ReasonCode.PACKET_IDENTIFIER_IN_USE,
            ReasonCode.PACKET_IDENTIFIER_NOT_FOUND)));

    public Disconnect {
        userProperties = List.copyOf(userProperties);
    }

    public Disconnect(ReasonCode reasonCode, @Nullable String reasonString) {
        this(reasonCode, -1, reasonString, List.of(), null);
    }

    /** Whether a server may send it [MQTT5-3.14.2-1]. */
    public static boolean isFromServer(ReasonCode code) {
        return FROM_SERVER.contains(code);
    }
}
