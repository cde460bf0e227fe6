package io.godwit.perf.load.measure;

/**
 * The measurements of one interval of a run, usually of a second.
 *
 * @param atSeconds the end of the interval, from the beginning of the run
 * @param connections open at its end
 * @param connectRate per second, as the other rates
 * @param brokerCores cores that the broker kept busy; negative if it is not watched
 * @param machine share of all cores of this machine that was used, 0 to 1; negative if unknown
 */
public record Sample(
        double atSeconds,
        Phase phase,
        long connections,
        double connectRate,
        double rateIn,
        double rateAcknowledged,
        double rateOut,
        Spread latency,
        Spread connect,
        double latenessP99,
        long errors,
        double brokerCores,
        long brokerBytes,
        double toolCores,
        double busiestLoop,
        double machine) {}
