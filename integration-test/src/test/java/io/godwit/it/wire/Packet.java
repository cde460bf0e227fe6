package io.godwit.it.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A control packet, of any protocol version. Byte arrays are shared, never modified. */
public sealed interface Packet {
    /**
     * @param version 3 for MQTT 3.1, 4 for MQTT 3.1.1, 5 for MQTT 5.0
     * @param login user name and password; null for neither
     */
    record Connect(
            int version,
            String clientId,
            boolean clean,
            int keepAliveSeconds,
            Properties properties,
            @Nullable Will will,
            @Nullable Login login)
            implements Packet {
        /** Without a login. */
        public Connect(
                int version,
                String clientId,
                boolean clean,
                int keepAliveSeconds,
                Properties properties,
                @Nullable Will will) {
            this(version, clientId, clean, keepAliveSeconds, properties, will, null);
        }
    }

    record Login(String user, String password) {}

    @SuppressWarnings("ArrayRecordComponent")
    record Will(String topic, byte[] payload, int qos, boolean retain, Properties properties) {}

    record Connack(boolean sessionPresent, int code, Properties properties) implements Packet {}

    /** @param packetId 0 for QoS 0 */
    @SuppressWarnings("ArrayRecordComponent")
    record Publish(
            String topic, byte[] payload, int qos, boolean dup, boolean retain, int packetId, Properties properties)
            implements Packet {}

    /** PUBACK, PUBREC, PUBREL or PUBCOMP. */
    record Ack(Kind kind, int packetId, int code) implements Packet {
        /** Which of the four. */
        public enum Kind {
            PUBACK(4),
            PUBREC(5),
            PUBREL(6),
            PUBCOMP(7);

            final int type;

            Kind(int type) {
                this.type = type;
            }
        }
    }

    record Subscribe(int packetId, List<Request> requests, Properties properties) implements Packet {}

    /**
     * @param options the options byte: QoS, and in 5.0 no local (4), retain as published (8), retain handling (16, 32)
     */
    record Request(String filter, int options) {}

    record Suback(int packetId, List<Integer> codes) implements Packet {}

    record Unsubscribe(int packetId, List<String> filters) implements Packet {}

    /** @param codes empty before 5.0 */
    record Unsuback(int packetId, List<Integer> codes) implements Packet {}

    record PingRequest() implements Packet {}

    record PingResponse() implements Packet {}

    record Disconnect(int code, Properties properties) implements Packet {}
}
