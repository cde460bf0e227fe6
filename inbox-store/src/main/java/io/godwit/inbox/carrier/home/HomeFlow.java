package io.godwit.inbox.carrier.home;

import io.godwit.inbox.protocol.InboxHome;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.protocol.RefusalGate;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The commands for one inbox: those under way to its home and those that wait, in order. All under way are at one home,
 * in one round. Guarded by the lock of the {@link HomeFlows}.
 */
final class HomeFlow {
    /** A power of 2. */
    private static final int SLOTS = 32;

    private final InboxId inbox;
    /** By number. */
    private final TreeMap<Long, HomeStep> waiting = new TreeMap<>();

    private int open;
    /** Home of the commands under way, or of the last ones. */
    private @Nullable InboxHome home;

    private long round;
    /** The highest number of an answered command. It has passed all that was sent before it. */
    private long lastCommand;
    /**
     * The highest number of an answered message in each slot, while others are under way; null before the first. The
     * publisher, topic and QoS of a message select its slot. Messages that share a slot may fail each other
     * unnecessarily. The number of slots is fixed, because clients choose the topics.
     */
    private long @Nullable [] lastMessages;

    /** Whether a command under way was refused: nothing is sent before all of them are answered. */
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

    /** The home that the step may be sent to now; null when it must wait. */
    @Nullable
    InboxHome homeFor(HomeStep step, Homes homes) {
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
            lastMessages = null; // later sends have higher numbers
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
     * Whether a later step was answered while this one is under way: a command, or a message that must not come before
     * this one. Messages of other publishers or topics may pass it: the client of an early copy acknowledges it to its
     * home, while all others wait for a log that has lost its majority.
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

    /** Once nothing is under way, refused steps may be sent again. */
    void goOn() {
        isRefused &= open > 0;
    }

    boolean isIdle() {
        return open == 0;
    }

    /** Whether the leader is still the home that has refused. */
    boolean isRefusedBy(Homes homes) {
        return isRefused && homes.of(inbox) == home;
    }

    /** The first waiting step. */
    @Nullable
    HomeStep next() {
        Map.Entry<Long, HomeStep> first = waiting.firstEntry();
        return first == null ? null : first.getValue();
    }

    void take(HomeStep step) {
        waiting.remove(step.number);
    }

    /** Removes and returns a step that has waited too long; null when there is none. */
    @Nullable
    HomeStep takeExpired(long nowNanos) {
        HomeStep first = next(); // the first has waited longest
        if (first == null || nowNanos != Long.MAX_VALUE && nowNanos - first.deadlineNanos < 0) {
            return null;
        }
        waiting.remove(first.number);
        return first;
    }

    /** Whether nothing is under way or waiting. */
    boolean isDone() {
        return open == 0 && waiting.isEmpty();
    }
}
