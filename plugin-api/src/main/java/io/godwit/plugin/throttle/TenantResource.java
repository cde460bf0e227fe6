package io.godwit.plugin.throttle;

/** Something that the clients of one tenant use together. Amounts and limits are those of the whole cluster. */
public enum TenantResource {
    /** Clients that are connected. One more is refused: 0x97, before MQTT 5.0 return code 3. */
    CONNECTIONS(Kind.AMOUNT),
    /** Clients that connect per second. One more is refused, as above. */
    CONNECT_RATE(Kind.RATE),
    /** Sessions that outlive their connection. A client that would begin one more is refused, as above. */
    SESSIONS(Kind.AMOUNT),
    /** Subscriptions of all sessions. One more is refused: 0x97, before MQTT 5.0 0x80. */
    SUBSCRIPTIONS(Kind.AMOUNT),
    /** Of these, the ones to shared groups. One more is refused, as above. */
    SHARED_SUBSCRIPTIONS(Kind.AMOUNT),
    /**
     * Retained messages. A publish that would add one is not taken: 0x97 at QoS 1 and 2, counted at QoS 0; before MQTT
     * 5.0 it is acknowledged and dropped.
     */
    RETAINED_MESSAGES(Kind.AMOUNT),
    /** Bytes of the payloads of retained messages. A publish that would exceed them is not taken, as above. */
    RETAINED_BYTES(Kind.AMOUNT),
    /** Messages that clients publish per second. Beyond it they are read more slowly; nothing is discarded. */
    PUBLISH_RATE(Kind.RATE),
    /** Bytes that clients send per second. Beyond it they are read more slowly; nothing is discarded. */
    PUBLISH_BYTES(Kind.RATE),
    /**
     * Copies that clients are sent per second. Beyond it they are sent less: QoS 0 is dropped meanwhile, QoS 1 and 2
     * wait in the queue of the session. Divided by {@link #PUBLISH_RATE} it is the fan-out.
     */
    DELIVER_RATE(Kind.RATE),
    /** Bytes of the payloads of these copies per second. Beyond it clients are sent less, as above. */
    DELIVER_BYTES(Kind.RATE),
    /**
     * Bytes of the payloads that wait for sessions that outlive their connection; a message counts for each of them.
     * One more is dropped for that session, and counted, unless its client takes what it is given.
     */
    QUEUED_BYTES(Kind.AMOUNT);

    private enum Kind {
        AMOUNT,
        RATE
    }

    private final Kind kind;

    TenantResource(Kind kind) {
        this.kind = kind;
    }

    /** Whether it is counted per second; else it is what there is now. */
    public boolean isRate() {
        return kind == Kind.RATE;
    }
}
