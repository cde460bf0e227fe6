package io.godwit.mqtt.codec;

/**
 * Observes what a {@link PacketReadHandler} reads: packets that arrive in several reads, and reads that take several
 * turns to handle. Also decides when packets must wait. Called on the channel's event loop.
 */
public interface ReadListener {
    /** For channels without accounting. */
    ReadListener NONE = new ReadListener() {
        @Override
        public void onPartial(int arrivedBytes, int frameBytes) {}

        @Override
        public void onPartialEnded() {}

        @Override
        public void onTurnOver() {}

        @Override
        public void onCaughtUp() {}

        @Override
        public boolean holds(Runnable goOn) {
            return false;
        }
    };

    /** The turns that this channel shares with the others of its loop: always the same object. */
    default LoopTurns turns() {
        return new LoopTurns();
    }

    /**
     * A read ended inside a packet whose length is known.
     *
     * @param arrivedBytes how much has arrived, in this read and earlier ones
     * @param frameBytes size of the whole packet, type and length included
     */
    void onPartial(int arrivedBytes, int frameBytes);

    /** The packet reported by {@link #onPartial} is complete and about to be passed on, or will never be complete. */
    void onPartialEnded();

    /** Handling takes so long that the rest waits until the loop has served others. Reading should pause. */
    void onTurnOver();

    /**
     * Whether bytes after a CONNECT must wait, undecoded, until the CONNECT is answered.
     *
     * @param goOn runs on the event loop then
     */
    boolean holds(Runnable goOn);

    /**
     * Whether a complete SUBSCRIBE or UNSUBSCRIBE must wait, undecoded, together with all bytes after it.
     *
     * @param goOn runs on the event loop when this packet may be decoded
     */
    default boolean holdsRequest(Runnable goOn) {
        return false;
    }

    /** Like {@link #isHeldBack}, but asked once for each read. */
    default boolean isInDoubt() {
        return false;
    }

    /** Whether no further packets may be passed on now, not even those already read. */
    default boolean isHeldBack() {
        return false;
    }

    /**
     * Packets wait because of {@link #isHeldBack} or {@link #isInDoubt}.
     *
     * @param goOn to be run on the event loop when that is over
     */
    default void onHeldBack(Runnable goOn) {}

    /** Everything that waited since {@link #onTurnOver} is handled. */
    void onCaughtUp();

    /**
     * The channel has ended and this many bytes read before are discarded: ended channels together have more waiting
     * than they may.
     */
    default void onDropped(long bytes) {}
}
