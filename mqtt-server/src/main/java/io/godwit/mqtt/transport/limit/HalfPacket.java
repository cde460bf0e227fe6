package io.godwit.mqtt.transport.limit;

/**
 * A packet that has arrived in part and is large enough to need budget ({@link HalfReceived}). Confined to the
 * connection's loop.
 */
public final class HalfPacket {
    /**
     * A sender slower than the minimum rate on average is cut off after this many seconds of reading, if others wait.
     */
    public static final int PATIENCE_SECONDS = 10;

    public static final int MIN_BYTES_PER_SECOND = 16 * 1024;

    private final Owner owner;
    private final int frameBytes;
    private final boolean isOpening;

    /** Whether it is admitted. Guarded by the lock of {@link HalfReceived}. */
    boolean hasRoom;

    private int arrivedBytes;
    private int secondsRead;

    /**
     * @param frameBytes of the whole packet
     * @param isOpening whether the connection has not passed CONNECT
     */
    public HalfPacket(Owner owner, int frameBytes, boolean isOpening) {
        this.owner = owner;
        this.frameBytes = frameBytes;
        this.isOpening = isOpening;
    }

    public int frameBytes() {
        return frameBytes;
    }

    boolean isOpening() {
        return isOpening;
    }

    public int arrivedBytes() {
        return arrivedBytes;
    }

    public void arrived(int bytes) {
        arrivedBytes = bytes;
    }

    /** The packet is admitted now. Any thread. */
    void admitted() {
        owner.onRoom(this);
    }

    /** A second has passed in which the connection was read. */
    public void secondRead() {
        secondsRead++;
    }

    public boolean isTooSlow() {
        return secondsRead >= PATIENCE_SECONDS && arrivedBytes / secondsRead < MIN_BYTES_PER_SECOND;
    }

    /** The connection that receives the packet. */
    public interface Owner {
        /** {@code packet}, which had to wait, is admitted. Any thread. */
        void onRoom(HalfPacket packet);
    }
}
