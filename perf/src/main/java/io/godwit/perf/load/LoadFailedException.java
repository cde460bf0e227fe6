package io.godwit.perf.load;

/** A load could not be run to its end, for a reason that the user is told. */
public final class LoadFailedException extends Exception {
    public LoadFailedException(String reason) {
        super(reason);
    }
}
