package io.godwit.mqtt.packet;

import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.UserProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A step of an extended authentication; MQTT 5.0 only.
 *
 * @param reasonCode success, continue authentication or re-authenticate
 * @param authenticationMethod null only for success in an otherwise empty packet
 * @param authenticationData null when absent; shared, never modified
 */
@SuppressWarnings("ArrayRecordComponent") // shared by contract, compared nowhere
public record Auth(
        ReasonCode reasonCode,
        @Nullable String authenticationMethod,
        byte @Nullable [] authenticationData,
        @Nullable String reasonString,
        List<UserProperty> userProperties)
        implements Packet {
    public Auth {
        userProperties = List.copyOf(userProperties);
    }

    /** Leaves out the authentication data. */
    @Override
    public String toString() {
        return "Auth[reasonCode=" + reasonCode + ", authenticationMethod=" + authenticationMethod + "]";
    }
}
