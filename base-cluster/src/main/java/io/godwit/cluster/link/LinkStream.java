package io.godwit.cluster.link;

/**
 * A connection that carries messages to and from the other end of a link: in order, each at most once, until it breaks.
 * Called by one thread at a time, except {@link #cancel}.
 */
interface LinkStream {
    /** Receives the events of a stream, from one thread at a time, which must not be blocked. */
    interface Events {
        void received(byte[] message);

        /** {@link LinkStream#isReady} has become true. */
        void writable();

        /** The stream is closed. The last call. */
        void closed(String why);
    }

    /** Whether the stream takes more messages without queueing them for long. */
    boolean isReady();

    /** Sends a message. Never blocks and never throws. Messages sent after the stream has broken are lost. */
    void send(byte[] message);

    /** Ends the stream once all sent messages have arrived and the other end has finished too. */
    void finish();

    /** Ends the stream at once. Any thread. */
    void cancel(String why);
}
