package io.godwit.it.kv;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** What is done to a cluster and when. Follows from the seed. */
record NemesisPlan(long seed, List<Step> steps, long changesSeed) {
    /**
     * One trouble after the other.
     *
     * @param waitMillis of peace before it
     * @param lastMillis how long it lasts
     * @param victim a node
     * @param other another node, where there is one
     * @param share of something, between 0 and 1
     */
    record Step(Trouble trouble, int waitMillis, int lastMillis, int victim, int other, double share) {}

    NemesisPlan {
        steps = List.copyOf(steps);
    }

    /**
     * Each kind of trouble comes once before any comes again.
     *
     * @param millis after which no more begins; 0 for each kind once
     * @param longestPauseMillis how long a process stands still at most
     */
    static NemesisPlan of(long seed, int nodes, long millis, int longestPauseMillis, Set<Trouble> kinds) {
        Random random = new Random(seed);
        List<Step> steps = new ArrayList<>();
        List<Trouble> round = new ArrayList<>();
        long time = 0;
        while (time < millis || millis == 0 && steps.size() < kinds.size()) {
            if (round.isEmpty()) {
                round.addAll(kinds);
                Collections.shuffle(round, random);
            }
            Step step = step(round.remove(0), random, nodes, longestPauseMillis);
            steps.add(step);
            time += step.waitMillis() + step.lastMillis();
        }
        return new NemesisPlan(seed, steps, random.nextLong());
    }

    /** How long all of it takes, as planned. */
    long millis() {
        return steps.stream()
                .mapToLong(step -> step.waitMillis() + step.lastMillis())
                .sum();
    }

    private static Step step(Trouble trouble, Random random, int nodes, int longestPauseMillis) {
        int last = switch (trouble) {
            case KILL, RESTART -> random.nextInt(3_000);
            case KILL_ALL -> random.nextInt(1_000);
            case PAUSE -> 1_000 + random.nextInt(longestPauseMillis - 1_000);
            case CUT, CUT_ONE_WAY, ISOLATE, UNPLUG -> 2_000 + random.nextInt(longestPauseMillis - 1_000);
            case FILL_DISK -> 3_000 + random.nextInt(4_000);
        };
        int victim = trouble == Trouble.FILL_DISK ? 0 : random.nextInt(nodes);
        int other = nodes == 1 ? 0 : (victim + 1 + random.nextInt(nodes - 1)) % nodes;
        return new Step(trouble, 1_000 + random.nextInt(3_000), last, victim, other, random.nextDouble());
    }

    /**
     * What can be done to so many nodes.
     *
     * @param kinds that can be done where they live
     */
    static Set<Trouble> possible(int nodes, Set<Trouble> kinds) {
        Set<Trouble> possible = EnumSet.copyOf(kinds);
        if (nodes == 1) {
            possible.removeIf(Trouble::needsLinks);
            possible.remove(Trouble.KILL_ALL);
        }
        return possible;
    }
}
