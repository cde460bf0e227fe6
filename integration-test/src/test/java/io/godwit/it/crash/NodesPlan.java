package io.godwit.it.crash;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * What is done to the nodes of a cluster under load, one after the other. Follows from the seed.
 *
 * @param quietMillis of silence after the load count as: all is delivered
 */
record NodesPlan(long seed, int qos1PerSecond, int qos2PerSecond, int quietMillis, List<Step> steps) {
    /** What a node may meet. */
    enum Trouble {
        /** kill -9, and a start later. */
        KILL,
        /** Stands still for so short that the others may not notice. */
        HICCUP,
        /** Stands still for so long that the others give it up. */
        PAUSE
    }

    /** @param peaceMillis before it */
    record Step(Trouble trouble, int victim, int peaceMillis, int lastMillis) {}

    NodesPlan {
        steps = List.copyOf(steps);
    }

    /**
     * Each kind of trouble comes once before any comes again, and at least once.
     *
     * @param millis after which no more begins, as planned
     */
    static NodesPlan of(long seed, int nodes, long millis, int qos1PerSecond, int qos2PerSecond) {
        Random random = new Random(seed);
        List<Step> steps = new ArrayList<>();
        List<Trouble> round = new ArrayList<>();
        long time = 0;
        while (time < millis || steps.size() < Trouble.values().length) {
            if (round.isEmpty()) {
                round.addAll(List.of(Trouble.values()));
                Collections.shuffle(round, random);
            }
            Trouble trouble = round.remove(0);
            int last = switch (trouble) {
                case KILL -> random.nextInt(5_000);
                case HICCUP -> 300 + random.nextInt(2_000);
                case PAUSE -> 6_000 + random.nextInt(9_000);
            };
            Step step = new Step(trouble, random.nextInt(nodes), 2_000 + random.nextInt(3_000), last);
            steps.add(step);
            time += step.peaceMillis() + step.lastMillis();
        }
        return new NodesPlan(seed, qos1PerSecond, qos2PerSecond, 3_000, steps);
    }
}
