package io.godwit.perf.load;

/** What a run is at. */
public enum Phase {
    CONNECT,
    WARM_UP,
    MEASURE,
    DRAIN
}
