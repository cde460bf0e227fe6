package io.godwit.perf.observe;

import java.util.Optional;

/** Reads the usage of a broker. Called by one thread; may read files or the network, for some seconds. */
public interface UsageSource {
    /** The usage now; empty if it cannot be read. */
    Optional<Usage> read();

    /** The cores of all machines that it reads, of which shares are computed. */
    default int cores() {
        return Runtime.getRuntime().availableProcessors();
    }

    /** Whether the broker runs on this machine. */
    default boolean isHere() {
        return true;
    }

    /** A description for the report. */
    String describe();
}
