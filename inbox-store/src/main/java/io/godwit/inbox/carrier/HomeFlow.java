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
    private final InboxId inbox;
    /** By number. */
    private final TreeMap<Long, HomeStep> waiting = new TreeMap<>();

    private int open;
    /** Of what is under way, or was last. */
    private @Nullable InboxHome home;

    private long round;
    /** The highest number of one that was answered. */
    private long lastAnswered;
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
        return leading == null || isOther || step.needsRoom() && !leading.isWritable() ? null : leading;
    }

    /** A step is being sent. */
    void sending(InboxHome to, long[] rounds) {
        if (open++ == 0) {
            home = to;
            round = rounds[RefusalGate.slotOf(inbox)];
        }
    }

    void answered(HomeStep step) {
        open--;
        lastAnswered = Math.max(lastAnswered, step.number);
    }

    void failed() {
        open--;
    }

    /** Whether one that was sent behind this one, which is under way, has been answered. */
    boolean isPassed(HomeStep step) {
        return lastAnswered > step.number;
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
