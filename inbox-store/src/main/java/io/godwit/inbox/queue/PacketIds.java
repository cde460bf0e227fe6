package io.godwit.inbox.queue;

/**
 * Outbound packet ids follow from sequences, so that a resumed session has them without storing them [MQTT5-4.4.0-1].
 */
final class PacketIds {
    /** How many there are: 1 to 65,535. */
    static final int COUNT = 65_535;

    private PacketIds() {}

    static int of(long sequence) {
        return 1 + (int) (sequence % COUNT);
    }
}
