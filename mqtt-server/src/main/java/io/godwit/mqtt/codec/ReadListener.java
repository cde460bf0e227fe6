package io.godwit.mqtt.codec;

/**
 * Follows what a {@link PacketReadHandler} reads: is told of packets that take several reads to arrive and of reads
 * that take several turns to handle, and says when packets have to wait. Called on the channel's event loop.
 */
public interface ReadListener {
    /** For channels where nobody keeps account. */
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

    /** What the channel shares with the others of its loop: always the same. */
    default LoopTurns turns() {
        return new LoopTurns();
    }

    /**
     * A read has left a packet unfinished whose length is known.
     *
     * @param arrivedBytes as far as it has arrived, in this read and earlier ones
     * @param frameBytes when it is whole, type and length included
     */
    void onPartial(int arrivedBytes, int frameBytes);

    /** The packet that {@link #onPartial} told of is whole, and about to be handed on, or will never be. */
    void onPartialEnded();

    /**
     * What was read takes so long to handle that the rest waits until the loop has served others. No more should be
     * read.
     */
    void onTurnOver();

    /**
     * Whether what stands behind a CONNECT has to wait, undecoded, until the CONNECT is answered.
     *
     * @param goOn to be run on the event loop then
     */
    boolean holds(Runnable goOn);

    /**
     * Whether a SUBSCRIBE or UNSUBSCRIBE that is whole has to wait, undecoded, and what stands behind it too.
     *
     * @param goOn to be run on the event loop when this packet may be decoded
     */
    default boolean holdsRequest(Runnable goOn) {
        return false;
    }

    /** As {@link #isHeldBack}, asked once for each read. */
    default boolean isInDoubt() {
        return false;
    }

    /** Whether nothing more is to be handed on now, of what was read either. */
    default boolean isHeldBack() {
        return false;
    }

    /**
     * Something that was read waits because of {@link #isHeldBack} or {@link #isInDoubt}.
     *
     * @param goOn to be run on the event loop when that is over
     */
    default void onHeldBack(Runnable goOn) {}

    /** All that {@link #onTurnOver} has left is handled. */
    void onCaughtUp();

    /**
     * The channel has ended, and so many bytes that were read of it before are not looked at: other ended channels have
     * left more than may wait.
     */
    default void onDropped(long bytes) {}
}
