package io.godwit.perf.observe;

import java.util.Optional;

/** Where the usage of a broker is read. Called by one thread; may read files or the network, within seconds. */
public interface UsageSource {
    /** Empty when it cannot be told now. */
    Optional<Usage> read();

    /** Of all machines that it reads: what a share of them is a share of. */
    default int cores() {
        return Runtime.getRuntime().availableProcessors();
    }

    /** Whether it runs on this machine. */
    default boolean isHere() {
        return true;
    }

    /** What it is, for the report. */
    String describe();
}
