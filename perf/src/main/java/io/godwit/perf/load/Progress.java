package io.godwit.perf.load;

/**
 * Where a run is.
 *
 * @param wanted connections
 * @param remainingSeconds until the end of the phases whose length is known
 */
public record Progress(Phase phase, Sample sample, int wanted, double remainingSeconds) {}
