package io.godwit.plugin.throttle;

/** A resource that the clients of one tenant use together. Amounts and limits are those of the whole cluster. */
public enum TenantResource {
    /** Clients that are connected. One more is refused: 0x97, before MQTT 5.0 return code 3. */
    CONNECTIONS(Kind.AMOUNT),
    /** Clients that connect per second. One more is refused, as above. */
    CONNECT_RATE(Kind.RATE),
    /** Sessions that outlive their connection. A client that would begin one more is refused, as above. */
    SESSIONS(Kind.AMOUNT),
    /** Subscriptions of all sessions. One more is refused: 0x97, before MQTT 5.0 0x80. */
    SUBSCRIPTIONS(Kind.AMOUNT),
    /**
     * Subscriptions to shared groups, which also count as {@link #SUBSCRIPTIONS}: the members of all groups together,
     * not the groups. A group exists only while it has members, so there are never more groups than this. The members
     * of one group are limited by the setting {@code maxSharedGroupSize}; a refusal for that also names this resource.
     * One more is refused, as above.
     */
    SHARED_SUBSCRIPTIONS(Kind.AMOUNT),
    /**
     * Retained messages. A publish that would add one is not taken: 0x97 at QoS 1 and 2, counted at QoS 0; before MQTT
     * 5.0 it is acknowledged and dropped.
     */
    RETAINED_MESSAGES(Kind.AMOUNT),
    /**
     * Bytes of the payloads of retained messages. A publish that would exceed them is not taken; the client is answered
     * as for {@link #RETAINED_MESSAGES}.
     */
    RETAINED_BYTES(Kind.AMOUNT),
    /** Messages that clients publish per second. Beyond it they are read more slowly; nothing is discarded. */
    PUBLISH_RATE(Kind.RATE),
    /** Bytes that clients send per second. Beyond it they are read more slowly; nothing is discarded. */
    PUBLISH_BYTES(Kind.RATE),
    /**
     * Copies sent to clients per second. Over the limit QoS 0 is dropped, and QoS 1 and 2 wait in the queues of their
     * sessions. Divided by {@link #PUBLISH_RATE} it is the fan-out, on average over a second. The receivers of a single
     * message have no limit of their own: {@link #SUBSCRIPTIONS} bounds them, and this resource what they get in a
     * second.
     */
    DELIVER_RATE(Kind.RATE),
    /** Bytes of the payloads of these copies per second. Over the limit the same happens. */
    DELIVER_BYTES(Kind.RATE),
    /**
     * Bytes of the payloads that wait for sessions that outlive their connection; a message counts once for each
     * session. Over the limit a new message is dropped for that session and counted, unless its client is connected and
     * takes it at once.
     */
    QUEUED_BYTES(Kind.AMOUNT),
    /**
     * Messages to {@code $delayed} that wait for their time. One more is not taken: 0x97 at QoS 1 and 2, counted at QoS
     * 0; before MQTT 5.0 the connection is closed.
     */
    DELAYED_MESSAGES(Kind.AMOUNT);

    private enum Kind {
        AMOUNT,
        RATE
    }

    private final Kind kind;

    TenantResource(Kind kind) {
        this.kind = kind;
    }

    /** Whether it is counted per second; else it is the present amount. */
    public boolean isRate() {
        return kind == Kind.RATE;
    }
}
