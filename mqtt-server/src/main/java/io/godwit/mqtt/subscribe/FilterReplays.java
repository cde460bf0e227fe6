package io.godwit.mqtt.subscribe;

import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The replays of one filter: the running one, and later ones that may replace it. Each step costs the same however
 * often a client repeats its SUBSCRIBE. Owned by a {@link ReplayQueue}.
 */
final class FilterReplays {
    /** The replay that runs; null for none. */
    @Nullable
    RetainedReplay running;

    /** Replays that have begun and are not decided, by number. */
    private final TreeMap<Integer, RetainedReplay> undecided = new TreeMap<>();
    /** Replays up to this number are cancelled or replaced. */
    private int overUpTo;

    void begin(RetainedReplay replay) {
        undecided.put(replay.number, replay);
    }

    /** Decides whether {@code replay} is wanted; returns whether it runs, replacing all earlier ones. */
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

    /** Whether an undecided replay may still replace the running one. */
    boolean isHeld() {
        return !undecided.isEmpty() && undecided.lastKey() > overUpTo;
    }

    boolean isEmpty() {
        return running == null && undecided.isEmpty();
    }
}
