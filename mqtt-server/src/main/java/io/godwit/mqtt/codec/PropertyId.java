package io.godwit.mqtt.codec;

/**
 * The property identifiers of MQTT 5.0 (table 2-4), and sets of them as bits of a long: every identifier is below 64.
 */
final class PropertyId {
    static final int PAYLOAD_FORMAT_INDICATOR = 0x01;
    static final int MESSAGE_EXPIRY_INTERVAL = 0x02;
    static final int CONTENT_TYPE = 0x03;
    static final int RESPONSE_TOPIC = 0x08;
    static final int CORRELATION_DATA = 0x09;
    static final int SUBSCRIPTION_IDENTIFIER = 0x0B;
    static final int SESSION_EXPIRY_INTERVAL = 0x11;
    static final int ASSIGNED_CLIENT_IDENTIFIER = 0x12;
    static final int SERVER_KEEP_ALIVE = 0x13;
    static final int AUTHENTICATION_METHOD = 0x15;
    static final int AUTHENTICATION_DATA = 0x16;
    static final int REQUEST_PROBLEM_INFORMATION = 0x17;
    static final int WILL_DELAY_INTERVAL = 0x18;
    static final int REQUEST_RESPONSE_INFORMATION = 0x19;
    static final int RESPONSE_INFORMATION = 0x1A;
    static final int SERVER_REFERENCE = 0x1C;
    static final int REASON_STRING = 0x1F;
    static final int RECEIVE_MAXIMUM = 0x21;
    static final int TOPIC_ALIAS_MAXIMUM = 0x22;
    static final int TOPIC_ALIAS = 0x23;
    static final int MAXIMUM_QOS = 0x24;
    static final int RETAIN_AVAILABLE = 0x25;
    static final int USER_PROPERTY = 0x26;
    static final int MAXIMUM_PACKET_SIZE = 0x27;
    static final int WILDCARD_SUBSCRIPTION_AVAILABLE = 0x28;
    static final int SUBSCRIPTION_IDENTIFIER_AVAILABLE = 0x29;
    static final int SHARED_SUBSCRIPTION_AVAILABLE = 0x2A;

    private PropertyId() {}

    /** The set of these identifiers. */
    static long set(int... ids) {
        long bits = 0;
        for (int id : ids) {
            bits |= 1L << id;
        }
        return bits;
    }
}
