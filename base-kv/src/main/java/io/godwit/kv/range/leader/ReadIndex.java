package io.godwit.kv.range.leader;

/** Asks for a log index that covers everything acknowledged, and waits until it is applied here. */
public interface ReadIndex {
    /** Pause before a retry after a failure. */
    long RETRY_MILLIS = 20;

    /** Calls {@code then}, on any thread, with whether it succeeded. */
    void request(Done then);

    /** Runs {@code task} on the range executor after a pause. */
    void later(long delayMillis, Runnable task);

    /** Receives the outcome of a request. */
    interface Done {
        void done(boolean ok);
    }
}
