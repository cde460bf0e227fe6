package io.godwit.it.crash;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * What is done to the nodes of a cluster under load, one after the other. Follows from the seed.
 *
 * @param quietMillis of silence after the load count as: all is delivered
 */
record NodesPlan(long seed, int qos1PerSecond, int qos2PerSecond, int quietMillis, List<Step> steps) {
    /** A store tries every five seconds to give what an ended session has left of a shared group to another member. */
    static final int QUIET_MILLIS = 7_000;

    /** What a node may meet. */
    enum Trouble {
        /** kill -9, and a start later. */
        KILL,
        /** Stands still for so short that the others may not notice. */
        HICCUP,
        /** Stands still for so long that the others give it up. */
        PAUSE,
        /** Stopped in good order, and started again. */
        RESTART,
        /** Killed, its disk lost; it comes back as another node, and the one before is forgotten. */
        WIPE,
        /** Nothing that the others send arrives at it. */
        DEAF,
        /** Nothing that it sends arrives at the others. */
        MUTE,
        /** Cut off both ways. */
        APART,
        /** It is to lead a range that another leads. */
        TRANSFER,
        /** A range of the inbox store is cut in two. */
        SPLIT,
        /** Two ranges of the inbox store are joined. */
        MERGE,
        /** Its leaders and replicas move off it, and may come back then. */
        DRAIN,
        /** Little passes in a second between it and the others. */
        SLOW,
        /** What passes between it and the others is late, and now and then their connections end. */
        DELAY,
        /** The disk that has its data is full, or nearly; then there is room again. */
        FULL_DISK,
        /** Its clock is set minutes ahead or back, and set right again. Its monotonic clock is left alone. */
        CLOCK;

        /** Whether links have to be cut for it. */
        boolean needsCuts() {
            return this == DEAF || this == MUTE || this == APART;
        }

        /** Whether links have to be made slow for it. */
        boolean needsSlowLinks() {
            return this == SLOW;
        }

        /** Whether links have to delay what passes, and to end connections, for it. */
        boolean needsLateLinks() {
            return this == DELAY;
        }

        /** Whether each node has to have a disk of its own for it. */
        boolean needsDisks() {
            return this == FULL_DISK;
        }

        /** Whether its node goes on to lead ranges, and refuses what clients of any node ask of them. */
        boolean refuses() {
            return this == FULL_DISK;
        }

        /** Whether each node has to have a clock of its own for it. */
        boolean needsClocks() {
            return this == CLOCK;
        }
    }

    /** @param peaceMillis before it */
    record Step(Trouble trouble, int victim, int peaceMillis, int lastMillis) {}

    NodesPlan {
        steps = List.copyOf(steps);
    }

    /**
     * Each kind of trouble comes once before any comes again. Each at least once, unless there is time for a few only.
     *
     * @param millis after which no more begins, as planned
     * @param troubles to choose from
     */
    static NodesPlan of(
            long seed, int nodes, long millis, int qos1PerSecond, int qos2PerSecond, Set<Trouble> troubles) {
        Random random = new Random(seed);
        List<Step> steps = new ArrayList<>();
        List<Trouble> round = new ArrayList<>();
        long time = 0;
        while (time < millis || steps.isEmpty()) {
            if (round.isEmpty()) {
                round.addAll(troubles);
                Collections.sort(round);
                Collections.shuffle(round, random);
            }
            Trouble trouble = round.remove(0);
            int last = switch (trouble) {
                case KILL, RESTART, WIPE -> random.nextInt(5_000);
                case HICCUP -> 300 + random.nextInt(2_000);
                case PAUSE, DEAF, MUTE, APART, SLOW, DELAY, CLOCK -> 6_000 + random.nextInt(9_000);
                case FULL_DISK -> 3_000 + random.nextInt(5_000);
                case TRANSFER, SPLIT, MERGE, DRAIN -> 1_000 + random.nextInt(2_000);
            };
            Step step = new Step(trouble, random.nextInt(nodes), 2_000 + random.nextInt(3_000), last);
            steps.add(step);
            time += step.peaceMillis() + step.lastMillis();
        }
        return new NodesPlan(seed, qos1PerSecond, qos2PerSecond, QUIET_MILLIS, steps);
    }
}
