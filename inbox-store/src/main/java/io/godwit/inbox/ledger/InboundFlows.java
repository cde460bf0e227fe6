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
            if (waiting != null) {
                waiting.forEach(waiter -> waiter.failed(cause));
            }
        }
    }

    private final TreeMap<Integer, Flow> flows = new TreeMap<>();
    /** Flows that are not finished, by number; finished ones stay until {@link #finishedBelow} removes them. */
    private final TreeMap<Long, Flow> unfinished = new TreeMap<>();
    /**
     * New messages that must not overtake those of an ended connection, which the leader is distributing. Null when it
     * distributes none.
     */
    private @Nullable List<Pending.Waiter> behind;

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

    /** New messages wait from now on. */
    public void holdBack() {
        behind = new ArrayList<>(0);
    }

    public boolean isHoldingBack() {
        return behind != null;
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
        if (waiting != null) {
            waiting.forEach(Pending.Waiter::applied);
        }
    }

    /** Fails all that wait, because the session or the leadership is over. */
    public void stop(RangeException cause) {
        for (Flow flow : flows.values()) {
            flow.stop(cause);
        }
        List<Pending.Waiter> waiting = behind;
        behind = null;
        if (waiting != null) {
            waiting.forEach(waiter -> waiter.failed(cause));
        }
    }
}
