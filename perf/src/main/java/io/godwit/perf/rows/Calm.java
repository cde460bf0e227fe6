package io.godwit.perf.rows;

import io.godwit.perf.load.LoadFailedException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Waits until brokers have done what a load leaves behind: they handle closed connections, delete sessions and routes,
 * write files and compile code. All of this would slow down the load that is measured next. Used by one thread.
 */
final class Calm {
    /** Cores that a broker at rest uses at most. One of three nodes that nobody is connected to uses a third of it. */
    private static final double AT_REST = 0.15;

    private static final Duration LOOK = Duration.ofSeconds(1);
    private static final int MOST_LOOKS = 30;

    private Calm() {}

    /**
     * Returns when each broker has been at rest for a second, after half a minute at the latest.
     *
     * @param brokers their processes
     * @return a caution if a broker was not at rest even then
     */
    static Optional<String> await(List<Long> brokers) throws LoadFailedException, InterruptedException {
        double busiest = 0;
        for (int look = 0; look < MOST_LOOKS; look++) {
            busiest = Machine.busiest(brokers, LOOK);
            if (busiest <= AT_REST) {
                return Optional.empty();
            }
        }
        return Optional.of("a broker still used %.2f cores when the measured time began".formatted(busiest));
    }
}
