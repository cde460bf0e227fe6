package io.godwit.mqtt.packet.field;

import io.godwit.plugin.message.Qos;
import org.jspecify.annotations.Nullable;

/**
 * Every reason code of MQTT 5.0 (table 2-6), one constant per value. {@link #SUCCESS} is also "normal disconnection"
 * and "granted QoS 0", depending on the packet.
 */
public enum ReasonCode {
    /** Success, normal disconnection, granted QoS 0. */
    SUCCESS(0x00),
    GRANTED_QOS_1(0x01),
    GRANTED_QOS_2(0x02),
    DISCONNECT_WITH_WILL(0x04),
    NO_MATCHING_SUBSCRIBERS(0x10),
    NO_SUBSCRIPTION_EXISTED(0x11),
    CONTINUE_AUTHENTICATION(0x18),
    RE_AUTHENTICATE(0x19),
    UNSPECIFIED_ERROR(0x80),
    MALFORMED_PACKET(0x81),
    PROTOCOL_ERROR(0x82),
    IMPLEMENTATION_SPECIFIC_ERROR(0x83),
    UNSUPPORTED_PROTOCOL_VERSION(0x84, 1),
    CLIENT_IDENTIFIER_NOT_VALID(0x85, 2),
    BAD_USER_NAME_OR_PASSWORD(0x86, 4),
    NOT_AUTHORIZED(0x87, 5),
    SERVER_UNAVAILABLE(0x88, 3),
    SERVER_BUSY(0x89, 3),
    BANNED(0x8A, 5),
    SERVER_SHUTTING_DOWN(0x8B, 3),
    BAD_AUTHENTICATION_METHOD(0x8C, 5),
    KEEP_ALIVE_TIMEOUT(0x8D),
    SESSION_TAKEN_OVER(0x8E),
    TOPIC_FILTER_INVALID(0x8F),
    TOPIC_NAME_INVALID(0x90),
    PACKET_IDENTIFIER_IN_USE(0x91),
    PACKET_IDENTIFIER_NOT_FOUND(0x92),
    RECEIVE_MAXIMUM_EXCEEDED(0x93),
    TOPIC_ALIAS_INVALID(0x94),
    PACKET_TOO_LARGE(0x95),
    MESSAGE_RATE_TOO_HIGH(0x96),
    QUOTA_EXCEEDED(0x97, 3),
    ADMINISTRATIVE_ACTION(0x98),
    PAYLOAD_FORMAT_INVALID(0x99),
    RETAIN_NOT_SUPPORTED(0x9A),
    QOS_NOT_SUPPORTED(0x9B),
    USE_ANOTHER_SERVER(0x9C, 3),
    SERVER_MOVED(0x9D, 3),
    SHARED_SUBSCRIPTIONS_NOT_SUPPORTED(0x9E),
    CONNECTION_RATE_EXCEEDED(0x9F, 3),
    MAXIMUM_CONNECT_TIME(0xA0),
    SUBSCRIPTION_IDENTIFIERS_NOT_SUPPORTED(0xA1),
    WILDCARD_SUBSCRIPTIONS_NOT_SUPPORTED(0xA2);

    private static final @Nullable ReasonCode[] BY_VALUE = byValue();

    private final int value;
    private final int connackReturnCode;

    ReasonCode(int value) {
        this(value, value == 0 ? 0 : -1);
    }

    ReasonCode(int value, int connackReturnCode) {
        this.value = value;
        this.connackReturnCode = connackReturnCode;
    }

    /** The byte on the wire, 0 to 255. */
    public int value() {
        return value;
    }

    /** Whether the operation failed: 0x80 or above. */
    public boolean isError() {
        return value >= 0x80;
    }

    /**
     * The return code, 0 to 5, of this in a CONNACK of MQTT 3.1 or 3.1.1; -1 when it has none and the connection is
     * closed without a CONNACK [MQTT311-3.2.2-6].
     */
    public int connackReturnCode() {
        return connackReturnCode;
    }

    /** The constant of a wire value; null when MQTT 5.0 defines none. */
    public static @Nullable ReasonCode of(int value) {
        return value < 0 || value >= BY_VALUE.length ? null : BY_VALUE[value];
    }

    /** The reason code of a SUBACK that grants {@code qos}. */
    public static ReasonCode granted(Qos qos) {
        return switch (qos) {
            case AT_MOST_ONCE -> SUCCESS;
            case AT_LEAST_ONCE -> GRANTED_QOS_1;
            case EXACTLY_ONCE -> GRANTED_QOS_2;
        };
    }

    /** The reason code for a CONNACK return code of MQTT 3.1 or 3.1.1; null above 5, which is reserved. */
    public static @Nullable ReasonCode ofConnackReturnCode(int returnCode) {
        return switch (returnCode) {
            case 0 -> SUCCESS;
            case 1 -> UNSUPPORTED_PROTOCOL_VERSION;
            case 2 -> CLIENT_IDENTIFIER_NOT_VALID;
            case 3 -> SERVER_UNAVAILABLE;
            case 4 -> BAD_USER_NAME_OR_PASSWORD;
            case 5 -> NOT_AUTHORIZED;
            default -> null;
        };
    }

    private static @Nullable ReasonCode[] byValue() {
        @Nullable ReasonCode[] table = new ReasonCode[256];
        for (ReasonCode code : values()) {
            table[code.value] = code;
        }
        return table;
    }
}
