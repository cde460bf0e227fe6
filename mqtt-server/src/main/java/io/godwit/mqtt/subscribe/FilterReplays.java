package io.godwit.mqtt.subscribe;

import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The replays of one filter: the one that runs, and later ones of which it is not known yet whether they run. Each step
 * costs the same however often a client repeats its SUBSCRIBE. Owned by a {@link ReplayQueue}.
 */
final class FilterReplays {
    /** Decided to run, and not over; null for none. */
    @Nullable
    RetainedReplay running;

    /** By number those that have begun and are not decided. */
    private final TreeMap<Integer, RetainedReplay> undecided = new TreeMap<>();
    /** Replays up to this number have been cancelled, or another has taken their place. */
    private int overUpTo;

    void begin(RetainedReplay replay) {
        undecided.put(replay.number, replay);
    }

    /**
     * It is known by now whether {@code replay} is wanted; returns whether it runs, in the place of all earlier ones.
     */
    boolean decide(RetainedReplay replay, boolean isWanted) {
        undecided.remove(replay.number);
        if (!isWanted || replay.number <= overUpTo) {
            return false;
        }
        overUpTo = replay.number;
        return true;
    }

    void cancelUpTo(int number) {
        overUpTo = number;
    }

    /** Whether one that may take the place of the running one is not decided. */
    boolean isHeld() {
        return !undecided.isEmpty() && undecided.lastKey() > overUpTo;
    }

    boolean isEmpty() {
        return running == null && undecided.isEmpty();
    }
}
