package io.godwit.plugin.throttle;

/** A resource that the clients of one tenant use together. Amounts and limits are those of the whole cluster. */
public enum TenantResource {
    /** Clients that are connected. One more is refused: 0x97, before MQTT 5.0 return code 3. */
    CONNECTIONS(Kind.AMOUNT, true),
    /** Clients that connect per second. One more is refused, as above. */
    CONNECT_RATE(Kind.RATE, true),
    /** Sessions that outlive their connection. A client that would begin one more is refused, as above. */
    SESSIONS(Kind.AMOUNT, true),
    /** Subscriptions of all sessions. One more is refused: 0x97, before MQTT 5.0 0x80. */
    SUBSCRIPTIONS(Kind.AMOUNT, true),
    /** Subscriptions to shared groups, which also count as {@link #SUBSCRIPTIONS}. One more is refused, as above. */
    SHARED_SUBSCRIPTIONS(Kind.AMOUNT, true),
    /**
     * Retained messages. A publish that would add one is not taken: 0x97 at QoS 1 and 2, counted at QoS 0; before MQTT
     * 5.0 it is acknowledged and dropped.
     */
    RETAINED_MESSAGES(Kind.AMOUNT, true),
    /** Bytes of the payloads of retained messages. A publish that would exceed them is not taken, as above. */
    RETAINED_BYTES(Kind.AMOUNT, true),
    /** Messages that clients publish per second. Beyond it they are read more slowly; nothing is discarded. */
    PUBLISH_RATE(Kind.RATE, true),
    /** Bytes that clients send per second. Beyond it they are read more slowly; nothing is discarded. */
    PUBLISH_BYTES(Kind.RATE, true),
    /**
     * Copies sent to clients per second. Reported only: a limit has no effect. Divided by {@link #PUBLISH_RATE} it is
     * the fan-out.
     */
    DELIVER_RATE(Kind.RATE, false),
    /** Bytes of the payloads of these copies per second. Reported only. */
    DELIVER_BYTES(Kind.RATE, false);

    private enum Kind {
        AMOUNT,
        RATE
    }

    private final Kind kind;
    private final boolean isLimited;

    TenantResource(Kind kind, boolean isLimited) {
        this.kind = kind;
        this.isLimited = isLimited;
    }

    /** Whether it is counted per second; else it is the present amount. */
    public boolean isRate() {
        return kind == Kind.RATE;
    }

    /** Whether a limit has an effect; else its use is only reported. */
    public boolean isLimited() {
        return isLimited;
    }
}
