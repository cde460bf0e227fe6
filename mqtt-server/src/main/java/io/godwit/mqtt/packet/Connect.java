package io.godwit.mqtt.packet;

import io.godwit.mqtt.packet.field.ProtocolLevel;
import io.godwit.mqtt.packet.field.WillPacket;
import io.godwit.plugin.message.UserProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The first packet of a connection.
 *
 * @param protocolLevel one of {@link ProtocolLevel}
 * @param cleanStart Clean Start of 5.0, Clean Session of 3.1.1
 * @param keepAliveSeconds 0 to 65,535; 0 is off
 * @param clientId empty when the server should choose one
 * @param userName null when absent
 * @param password null when absent; shared, never modified
 * @param will null when absent
 * @param sessionExpirySeconds -1 absent, else 0 to 4,294,967,295, the largest meaning never
 * @param receiveMaximum -1 absent, else 1 to 65,535
 * @param maximumPacketSize -1 absent, else 1 to 4,294,967,295
 * @param topicAliasMaximum -1 absent, else 0 to 65,535
 * @param requestResponseInformation false when absent
 * @param requestProblemInformation true when absent; when false, only PUBLISH, CONNACK and DISCONNECT may have
 *     reason strings and user properties [MQTT5-3.1.2-29]
 * @param authenticationMethod null when absent
 * @param authenticationData null when absent; shared, never modified
 */
@SuppressWarnings("ArrayRecordComponent") // shared by contract, compared nowhere
public record Connect(
        int protocolLevel,
        boolean cleanStart,
        int keepAliveSeconds,
        String clientId,
        @Nullable String userName,
        byte @Nullable [] password,
        @Nullable WillPacket will,
        long sessionExpirySeconds,
        int receiveMaximum,
        long maximumPacketSize,
        int topicAliasMaximum,
        boolean requestResponseInformation,
        boolean requestProblemInformation,
        List<UserProperty> userProperties,
        @Nullable String authenticationMethod,
        byte @Nullable [] authenticationData)
        implements Packet {

    public Connect {
        userProperties = List.copyOf(userProperties);
    }

    /** A CONNECT without any MQTT 5.0 property. */
    public Connect(
            int protocolLevel,
            boolean cleanStart,
            int keepAliveSeconds,
            String clientId,
            @Nullable String userName,
            byte @Nullable [] password,
            @Nullable WillPacket will) {
        this(
                protocolLevel,
                cleanStart,
                keepAliveSeconds,
                clientId,
                userName,
                password,
                will,
                -1,
                -1,
                -1,
                -1,
                false,
                true,
                List.of(),
                null,
                null);
    }

    /** Leaves out password, authentication data and will payload. */
    @Override
    public String toString() {
        return "Connect[protocolLevel=" + protocolLevel + ", clientId=" + clientId + ", cleanStart=" + cleanStart
                + ", keepAliveSeconds=" + keepAliveSeconds + ", userName=" + userName + ", will=" + (will != null)
                + "]";
    }
}
