package io.godwit.perf.load.measure;

/** The phases of a run. */
public enum Phase {
    CONNECT,
    WARM_UP,
    MEASURE,
    DRAIN
}
