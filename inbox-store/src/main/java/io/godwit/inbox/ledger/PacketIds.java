package io.godwit.inbox.ledger;

/**
 * Outbound packet ids follow from sequences, so that a resumed session has them without storing them [MQTT5-4.4.0-1].
 */
public final class PacketIds {
    /** How many there are: 1 to 65,535. */
    static final int COUNT = 65_535;

    private PacketIds() {}

    public static int of(long sequence) {
        return 1 + (int) (sequence % COUNT);
    }
}
