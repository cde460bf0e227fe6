package io.godwit.cluster.link.stream;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A connection that carries messages to and from the other end of a link: in order, each at most once, until it breaks.
 * Called by one thread at a time, except {@link #cancel}.
 */
public interface LinkStream {
    /** Receives the events of a stream, from one thread at a time, which must not be blocked. */
    interface Events {
        void received(byte[] message);

        /** {@link LinkStream#isReady} has become true. */
        void writable();

        /** The stream is closed. The last call. */
        void closed(String why);
    }

    /**
     * The thread that calls the events of a stream. Tasks run after the event that is being handled, each before the
     * next event or soon after it; they must not block. Fails with {@link RejectedExecutionException} once the process
     * ends its threads.
     */
    interface EventThread extends Executor {
        /** Whether waiting for less than a millisecond leaves the processor to others. Any thread. */
        boolean hasFineTimers();

        /** Runs a task after at least {@code nanos}. Any thread. */
        void executeLater(Runnable task, long nanos);
    }

    /** The thread of this stream; null until its first event. Any thread. */
    @Nullable
    EventThread thread();

    /** Whether the stream takes more messages without queueing them for long. */
    boolean isReady();

    /** Sends a message. Never blocks and never throws. Messages sent after the stream has broken are lost. */
    void send(byte[] message);

    /** Ends the stream once all sent messages have arrived and the other end has finished too. */
    void finish();

    /** Ends the stream at once. Any thread. */
    void cancel(String why);
}
