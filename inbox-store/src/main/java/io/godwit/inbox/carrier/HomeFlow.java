package io.godwit.inbox.carrier;

import io.godwit.inbox.protocol.InboxHome;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.protocol.RefusalGate;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is under way to the home of one inbox, and what waits, in order. What is under way is all at one home, in one
 * round. Guarded by the lock of the {@link HomeCarrier}.
 */
final class HomeFlow {
    /** A power of 2. */
    private static final int SLOTS = 32;

    private final InboxId inbox;
    /** By number. */
    private final TreeMap<Long, HomeStep> waiting = new TreeMap<>();

    private int open;
    /** Of what is under way, or was last. */
    private @Nullable InboxHome home;

    private long round;
    /** The highest number of an answered command. It has passed all that was sent before it. */
    private long lastCommand;
    /**
     * The highest number of an answered message in each slot, while others are under way; null before the first. The
     * publisher, topic and QoS of a message give its slot. Messages of one slot may fail each other without need. The
     * number of slots is fixed, since clients choose the topics.
     */
    private long @Nullable [] lastMessages;

    /** Something that was under way was refused: nothing is sent before all of it is answered. */
    private boolean isRefused;

    HomeFlow(InboxId inbox) {
        this.inbox = inbox;
    }

    InboxId inbox() {
        return inbox;
    }

    long round() {
        return round;
    }

    /** Where the step may be sent now; null when it has to wait. */
    @Nullable
    InboxHome homeFor(HomeStep step, HomeCarrier.Homes homes) {
        if (isRefused || !waiting.isEmpty() && waiting.firstKey() != step.number) {
            return null;
        }
        InboxHome leading = homes.of(inbox);
        boolean isOther = open > 0 && leading != home;
        return leading == null || isOther || step.isMessage() && !leading.isWritable() ? null : leading;
    }

    /** A step is being sent. */
    void sending(InboxHome to, long[] rounds) {
        if (open++ == 0) {
            home = to;
            round = rounds[RefusalGate.slotOf(inbox)];
        }
    }

    void answered(HomeStep step) {
        if (--open == 0) {
            lastMessages = null; // what is sent from now on has higher numbers
            return;
        }
        if (!step.isMessage()) {
            lastCommand = Math.max(lastCommand, step.number);
            return;
        }
        if (lastMessages == null) {
            lastMessages = new long[SLOTS];
        }
        int slot = slotOf(step);
        lastMessages[slot] = Math.max(lastMessages[slot], step.number);
    }

    private static int slotOf(HomeStep step) {
        return step.orderHash() & SLOTS - 1;
    }

    void failed() {
        open--;
    }

    /**
     * Whether one that was sent behind this one, which is under way, has been answered: a command, or a message that
     * must not come before this one. Messages of other publishers or topics may, and do: the client of an early copy
     * acknowledges it to its home while all others wait for a log that nobody confirms any more.
     */
    boolean isPassed(HomeStep step) {
        return lastCommand > step.number || lastMessages != null && lastMessages[slotOf(step)] > step.number;
    }

    void refused() {
        open--;
        isRefused = true;
    }

    void await(HomeStep step) {
        waiting.put(step.number, step);
    }

    /** If nothing is under way any more, what was refused may be sent again. */
    void goOn() {
        isRefused &= open > 0;
    }

    boolean isIdle() {
        return open == 0;
    }

    /** Whether to ask again now would be to ask who has just refused. */
    boolean isRefusedBy(HomeCarrier.Homes homes) {
        return isRefused && homes.of(inbox) == home;
    }

    /** The first that waits. */
    @Nullable
    HomeStep next() {
        Map.Entry<Long, HomeStep> first = waiting.firstEntry();
        return first == null ? null : first.getValue();
    }

    void take(HomeStep step) {
        waiting.remove(step.number);
    }

    /** Takes out one that has waited for too long; null when there is none. */
    @Nullable
    HomeStep takeExpired(long nowNanos) {
        HomeStep first = next(); // the first has waited longest
        if (first == null || nowNanos != Long.MAX_VALUE && nowNanos - first.deadlineNanos < 0) {
            return null;
        }
        waiting.remove(first.number);
        return first;
    }

    /** Nothing is under way, and nothing waits. */
    boolean isDone() {
        return open == 0 && waiting.isEmpty();
    }
}
