package io.godwit.mqtt.transport;

/**
 * A packet of one connection that has arrived in part and is large enough to need room ({@link HalfReceived}). Confined
 * to the connection's loop.
 */
final class HalfPacket {
    /** Who is slower on average, while others wait, is cut off after so many seconds of being read. */
    static final int PATIENCE_SECONDS = 10;

    static final int MIN_BYTES_PER_SECOND = 16 * 1024;

    private final Owner owner;
    private final int frameBytes;
    private final boolean isOpening;

    /** Guarded by the lock of {@link HalfReceived}. */
    boolean hasRoom;

    private int arrivedBytes;
    private int secondsRead;

    /**
     * @param frameBytes of the whole packet
     * @param isOpening whether the connection has not passed CONNECT
     */
    HalfPacket(Owner owner, int frameBytes, boolean isOpening) {
        this.owner = owner;
        this.frameBytes = frameBytes;
        this.isOpening = isOpening;
    }

    int frameBytes() {
        return frameBytes;
    }

    boolean isOpening() {
        return isOpening;
    }

    int arrivedBytes() {
        return arrivedBytes;
    }

    void arrived(int bytes) {
        arrivedBytes = bytes;
    }

    /** There is room now. Any thread. */
    void admitted() {
        owner.onRoom(this);
    }

    /** A second has passed in which the connection was read. */
    void secondRead() {
        secondsRead++;
    }

    boolean isTooSlow() {
        return secondsRead >= PATIENCE_SECONDS && arrivedBytes / secondsRead < MIN_BYTES_PER_SECOND;
    }

    /** The connection that sends it. */
    interface Owner {
        /** There is room for {@code packet}, which had to wait. Any thread. */
        void onRoom(HalfPacket packet);
    }
}
