package io.godwit.perf.observe;

import java.util.Optional;

/** Where the usage of a broker is read. Called by one thread; may read files or the network, within seconds. */
public interface UsageSource {
    /** Empty when it cannot be told now. */
    Optional<Usage> read();

    /** What it is, for the report. */
    String describe();
}
