package io.godwit.it.crash;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * When the broker is killed, and in the midst of what. Follows from the seed.
 *
 * @param quietMillis after which silence at the end all is taken to have been delivered
 */
record CrashPlan(long seed, double qos1PerSecond, double qos2PerSecond, int quietMillis, List<Round> rounds) {
    enum Kind {
        /** At a random moment of the load. */
        ANY,
        /** Then once more while it recovers. */
        RECOVERY,
        /** While a snapshot is being taken. */
        SNAPSHOT,
        /** While clients take their sessions over every 200 ms. */
        TAKEOVER
    }

    /** @param share how far into its recovery or its snapshot it is killed, between 0 and 1 */
    record Round(Kind kind, int loadMillis, double share) {}

    CrashPlan {
        rounds = List.copyOf(rounds);
    }

    static CrashPlan of(
            long seed, double qos1PerSecond, double qos2PerSecond, int minMillis, int maxMillis, Kind... kinds) {
        Random random = new Random(seed);
        List<Round> rounds = new ArrayList<>();
        for (Kind kind : kinds) {
            rounds.add(new Round(kind, minMillis + random.nextInt(maxMillis - minMillis), random.nextDouble()));
        }
        return new CrashPlan(seed, qos1PerSecond, qos2PerSecond, 1_500, rounds);
    }

    long count(Kind kind) {
        return rounds.stream().filter(round -> round.kind() == kind).count();
    }

    CrashPlan withQuietMillis(int millis) {
        return new CrashPlan(seed, qos1PerSecond, qos2PerSecond, millis, rounds);
    }
}
