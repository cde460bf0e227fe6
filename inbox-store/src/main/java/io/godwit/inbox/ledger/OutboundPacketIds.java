package io.godwit.inbox.ledger;

/**
 * Outbound packet ids are computed from sequences, so a resumed session keeps them without storing them
 * [MQTT5-4.4.0-1].
 */
public final class OutboundPacketIds {
    /** Number of packet ids: 1 to 65,535. */
    static final int COUNT = 65_535;

    private OutboundPacketIds() {}

    public static int of(long sequence) {
        return 1 + (int) (sequence % COUNT);
    }
}
