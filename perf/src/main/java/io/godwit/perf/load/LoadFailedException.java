package io.godwit.perf.load;

/** A load could not be run to its end; the message is the reason, for the user. */
public final class LoadFailedException extends Exception {
    public LoadFailedException(String reason) {
        super(reason);
    }
}
