package io.godwit.kv.range.leader;

/** Gives a point in the log that holds all that was acknowledged, and waits until it is applied here. */
public interface ReadIndex {
    /** Pause before it is asked again after a failure. */
    long RETRY_MILLIS = 20;

    /** Tells {@code then}, on any thread, whether it worked. */
    void request(Done then);

    /** Runs {@code task} on the range executor after a pause. */
    void later(long delayMillis, Runnable task);

    /** Who asks. */
    interface Done {
        void done(boolean ok);
    }
}
