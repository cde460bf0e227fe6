package io.godwit.perf.rows;

import io.godwit.perf.load.LoadFailedException;
import io.godwit.perf.load.RunResult;
import io.godwit.perf.scenario.Scenario;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Runs a load that connects in rounds, until the warm-up is over, so that the nodes and this tool have compiled their
 * code before the same load is measured. Each round has clients of its own; at its end they disconnect, and their
 * sessions are deleted. Used by one thread.
 */
final class WarmUp {
    /** A shorter round is not worth its practice connections; it is run only if the whole warm-up is shorter. */
    private static final Duration SHORTEST_ROUND = Duration.ofSeconds(1);
    /** A round opens connections this many times as fast as the load: the JVM compiles code by how often it runs. */
    private static final int FASTER = 5;

    private final Duration length;
    private final Duration longestRound;
    private final LongSupplier nanoTime;

    /** Runs a load to its end, which includes that its sessions are deleted. */
    interface Round {
        /** Returns reasons to doubt the figures, a sentence each. */
        List<String> run(Scenario scenario) throws LoadFailedException, InterruptedException;
    }

    WarmUp(LoadTimes times) {
        this(times, System::nanoTime);
    }

    WarmUp(LoadTimes times, LongSupplier nanoTime) {
        length = times.warmUp();
        longestRound = times.measured();
        this.nanoTime = nanoTime;
    }

    /**
     * Runs rounds until the warm-up is over; none if it has no length. A round that has begun is run to its end.
     *
     * @param scenario a round. If it has a rate of connections, a round opens them five times as fast, for as long as
     *     the measured time or the rest of the warm-up
     * @return the rounds' reasons to doubt the figures, without repetition
     */
    List<String> run(Scenario scenario, Round round) throws LoadFailedException, InterruptedException {
        Set<String> cautions = new LinkedHashSet<>();
        long endNanos = nanoTime.getAsLong() + length.toNanos();
        long leastNanos = Math.max(1, Math.min(length.toNanos(), SHORTEST_ROUND.toNanos()));
        for (long left = length.toNanos(); left >= leastNanos; left = endNanos - nanoTime.getAsLong()) {
            round.run(part(scenario, left)).forEach(caution -> cautions.add("in the warm-up " + caution));
        }
        return new ArrayList<>(cautions);
    }

    /** Connections that failed, and what a load has left at the brokers. */
    static List<String> troubles(RunResult result) {
        List<String> troubles = new ArrayList<>();
        if (result.connectFailed() > 0) {
            troubles.add("%,d connections failed".formatted(result.connectFailed()));
        }
        troubles.addAll(result.remarks());
        return troubles;
    }

    private Scenario part(Scenario scenario, long leftNanos) {
        double rate = scenario.connectRate() * FASTER;
        if (rate == 0) {
            return scenario;
        }
        double seconds = Math.min(leftNanos, longestRound.toNanos()) / 1e9;
        return scenario.with(s -> s.connectRate(rate).subscribers((int) Math.max(1, Math.round(rate * seconds))));
    }
}
