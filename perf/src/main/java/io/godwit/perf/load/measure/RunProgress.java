package io.godwit.perf.load.measure;

/**
 * How far a run has come.
 *
 * @param wanted connections of the scenario
 * @param hasMessages whether messages are expected; false if the scenario only opens connections
 * @param remainingSeconds until the end of the phases whose length is known
 */
public record RunProgress(Phase phase, Sample sample, int wanted, boolean hasMessages, double remainingSeconds) {}
