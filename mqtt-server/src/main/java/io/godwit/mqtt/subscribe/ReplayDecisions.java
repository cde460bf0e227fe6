package io.godwit.mqtt.subscribe;

import java.util.TreeSet;

/**
 * Which of the replays of one filter may run, by their numbers. Each step costs the same however often a client repeats
 * its SUBSCRIBE. Owned by a {@link ReplayQueue}.
 */
final class ReplayDecisions {
    /** Replays that have begun and are not decided. */
    private final TreeSet<Integer> undecided = new TreeSet<>();
    /** Replays up to this number are cancelled or replaced. */
    private int overUpTo;

    void begin(int replay) {
        undecided.add(replay);
    }

    /** Decides whether {@code replay} is wanted; returns whether it runs, replacing all earlier ones. */
    boolean decide(int replay, boolean isWanted) {
        undecided.remove(replay);
        if (!isWanted || replay <= overUpTo) {
            return false;
        }
        overUpTo = replay;
        return true;
    }

    void cancelUpTo(int number) {
        overUpTo = number;
    }

    /** Whether an undecided replay may still replace the running one. */
    boolean isHeld() {
        return !undecided.isEmpty() && undecided.last() > overUpTo;
    }

    /** Whether every replay that has begun is decided. */
    boolean isEmpty() {
        return undecided.isEmpty();
    }
}
