package io.godwit.cluster.link;

/**
 * One connection's worth of messages to the other end of a link and back: in order, none twice, until it breaks. Called
 * by one thread at a time but for {@link #cancel}.
 */
interface LinkStream {
    /** What the stream has to say, by one thread at a time, which must not be blocked. */
    interface Events {
        void received(byte[] message);

        /** {@link LinkStream#isReady} has become true. */
        void writable();

        /** The last call. */
        void closed(String why);
    }

    /** Whether more is taken without being queued for long. */
    boolean isReady();

    /** Never blocks, and never throws. What is sent when the stream has broken is lost. */
    void send(byte[] message);

    /** What has been sent still arrives; then the stream ends, when the other end does the same. */
    void finish();

    /** At once. */
    void cancel(String why);
}
