package io.godwit.perf.load;

/**
 * Where a run is.
 *
 * @param wanted connections
 * @param hasMessages whether any are expected; connections alone are what it is about where not
 * @param remainingSeconds until the end of the phases whose length is known
 */
public record Progress(Phase phase, Sample sample, int wanted, boolean hasMessages, double remainingSeconds) {}
