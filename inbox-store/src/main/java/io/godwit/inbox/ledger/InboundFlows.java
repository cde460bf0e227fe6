package io.godwit.inbox.ledger;

import io.godwit.inbox.format.InboundRecord;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.message.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The QoS 2 messages that one session has published and not released yet, by packet id (MQTT 5.0, 4.3.3). Owned by the
 * range leader; each is stored under an INBOUND key ({@link InboundRecord}).
 */
public final class InboundFlows {
    /** One inbound QoS 2 message. */
    public static final class Flow {
        public final int packetId;
        public final long number;
        private @Nullable Message message;
        private @Nullable Pending pending;
        private @Nullable List<Pending.Waiter> resuming;

        public Flow(int packetId, long number, @Nullable Message message) {
            this.packetId = packetId;
            this.number = number;
            this.message = message;
        }

        /** Null once distributed. */
        public @Nullable Message message() {
            return message;
        }

        public boolean isDistributed() {
            return message == null;
        }

        public void distributed() {
            message = null;
        }

        /** The write that an answer must wait for; null for none. */
        public @Nullable Pending pending() {
            return pending;
        }

        public void writtenBy(Pending write) {
            pending = write;
        }

        /**
         * Whether its token is no longer needed. A mark that is not committed yet does not count: it would not survive
         * a kill.
         */
        boolean isFinished() {
            Pending write = pending;
            return isDistributed() && (write == null || write.isDone());
        }

        public byte[] encode() {
            return InboundRecord.encode(number, message);
        }

        /** Whether the leader distributes it itself, because its connection has ended. */
        public boolean isResuming() {
            return resuming != null;
        }

        public void beginResuming() {
            resuming = new ArrayList<>(0);
        }

        /** Only while it is resumed: calls {@code waiter} when that is over. */
        public void awaitResumed(Pending.Waiter waiter) {
            List<Pending.Waiter> waiting = resuming;
            if (waiting == null) {
                throw new IllegalStateException("nobody resumes packet id " + packetId);
            }
            waiting.add(waiter);
        }

        /** The leader has distributed it, or need not. */
        public void resumed() {
            List<Pending.Waiter> waiting = resuming;
            resuming = null;
            if (waiting != null) {
                waiting.forEach(Pending.Waiter::applied);
            }
        }

        private void stop(RangeException cause) {
            List<Pending.Waiter> waiting = resuming;
            resuming = null;
            fail(waiting, cause);
        }

        /** Fails those that wait; the leader goes on distributing it. */
        private void failWaiting(RangeException cause) {
            List<Pending.Waiter> waiting = resuming;
            if (waiting != null) {
                resuming = new ArrayList<>(0);
                fail(waiting, cause);
            }
        }
    }

    /** Distributes the messages of ended connections, in order. */
    public interface Resumer {
        /** More of them, behind those that it has. */
        void add(List<Flow> more);
    }

    private final TreeMap<Integer, Flow> flows = new TreeMap<>();
    /** Flows that are not finished, by number; finished ones stay until {@link #finishedBelow} removes them. */
    private final TreeMap<Long, Flow> unfinished = new TreeMap<>();
    /**
     * New messages that must not overtake those of an ended connection, which the leader is distributing. Null when it
     * distributes none.
     */
    private @Nullable List<Pending.Waiter> behind;

    /** What distributes them; null like {@link #behind}. */
    private @Nullable Resumer resumer;

    private @Nullable Pending lastRelease;

    public @Nullable Flow get(int packetId) {
        return flows.get(packetId);
    }

    /** The flow of this number; null when it is finished. */
    public @Nullable Flow unfinished(long number) {
        return unfinished.get(number);
    }

    public void put(Flow flow) {
        flows.put(flow.packetId, flow);
        if (!flow.isFinished()) {
            unfinished.put(flow.number, flow);
        }
    }

    public @Nullable Flow remove(int packetId) {
        Flow flow = flows.remove(packetId);
        if (flow != null) {
            unfinished.remove(flow.number);
            flow.failWaiting(new RangeException(RangeException.Cause.CLOSED, "the packet id was released"));
        }
        return flow;
    }

    public int[] packetIds() {
        return flows.keySet().stream().mapToInt(Integer::intValue).toArray();
    }

    public boolean hasUndistributed() {
        return unfinished.values().stream().anyMatch(flow -> !flow.isDistributed());
    }

    /** Undistributed flows in the order they were received. */
    public List<Flow> undistributed() {
        return unfinished.values().stream()
                .filter(flow -> !flow.isDistributed())
                .toList();
    }

    /** Tokens below this number may be forgotten everywhere. */
    public long finishedBelow(long nextNumber) {
        Map.Entry<Long, Flow> first = unfinished.firstEntry();
        while (first != null && first.getValue().isFinished()) {
            unfinished.pollFirstEntry();
            first = unfinished.firstEntry();
        }
        return first == null ? nextNumber : Math.min(nextNumber, first.getKey());
    }

    /** The write that deletes the most recently released flow; null for none. */
    public @Nullable Pending lastRelease() {
        return lastRelease;
    }

    public void releasedBy(Pending write) {
        lastRelease = write;
    }

    // --- waiting while the leader distributes the messages of an ended connection

    /** New messages wait from now on, until {@code by} has distributed its own. */
    public void holdBack(Resumer by) {
        behind = new ArrayList<>(0);
        resumer = by;
    }

    public boolean isHoldingBack() {
        return behind != null;
    }

    /** What new messages wait for; null when they do not wait. */
    public @Nullable Resumer resumer() {
        return resumer;
    }

    /** Only while new messages wait: adds {@code waiter} to them. */
    public void awaitTurn(Pending.Waiter waiter) {
        List<Pending.Waiter> waiting = behind;
        if (waiting == null) {
            throw new IllegalStateException("nothing is held back");
        }
        waiting.add(waiter);
    }

    /** Calls those that wait. */
    public void releaseBehind() {
        List<Pending.Waiter> waiting = behind;
        behind = null;
        resumer = null;
        if (waiting != null) {
            waiting.forEach(Pending.Waiter::applied);
        }
    }

    /**
     * Fails all that wait, because their connection has ended. Their messages stay, and later messages go on waiting:
     * the leader goes on distributing.
     */
    public void failWaiting(RangeException cause) {
        flows.values().forEach(flow -> flow.failWaiting(cause));
        List<Pending.Waiter> waiting = behind;
        if (waiting != null) {
            behind = new ArrayList<>(0);
            fail(waiting, cause);
        }
    }

    /** Fails all that wait, because the session or the leadership is over. */
    public void stop(RangeException cause) {
        for (Flow flow : flows.values()) {
            flow.stop(cause);
        }
        List<Pending.Waiter> waiting = behind;
        behind = null;
        resumer = null;
        fail(waiting, cause);
    }

    private static void fail(@Nullable List<Pending.Waiter> waiting, RangeException cause) {
        if (waiting != null) {
            waiting.forEach(waiter -> waiter.failed(cause));
        }
    }
}
