package io.godwit.inbox.queue;

import io.godwit.plugin.message.Message;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The QoS 2 messages one session has published and not released yet, by packet id (MQTT 5.0, 4.3.3). Owned by the range
 * leader; stored under an INBOUND key each.
 *
 * <pre>
 * value:  1 version, 1;  varint token number;  1 whether distributed;  the message as a block, unless distributed
 * </pre>
 */
final class InboundFlows {
    private static final int VERSION = 1;

    /** One of them. */
    static final class Flow {
        final int packetId;
        final long number;
        /** Null once distributed. */
        @Nullable
        Message message;
        /** Until this batch is applied an answer must wait for it. */
        @Nullable
        Batch pending;
        /** The leader distributes it itself, since the connection that began is gone; who asks waits here. */
        @Nullable
        List<Mailbox.Call> resuming;

        Flow(int packetId, long number, @Nullable Message message) {
            this.packetId = packetId;
            this.number = number;
            this.message = message;
        }

        boolean isDistributed() {
            return message == null;
        }

        /** Whether its token is of no use any more: a mark that is not committed yet does not survive a kill. */
        boolean isFinished() {
            Batch batch = pending;
            return isDistributed() && (batch == null || batch.isDone());
        }

        byte[] encode() {
            Message held = message;
            ByteWriter out = new ByteWriter(held == null ? 16 : 64 + held.payload().length);
            out.u8(VERSION);
            out.varint(number);
            out.u8(held == null ? 1 : 0);
            if (held != null) {
                out.message(held);
            }
            return out.toBytes();
        }

        static Flow decode(int packetId, byte[] value) {
            ByteReader in = new ByteReader(value);
            in.version(VERSION, "inbound record");
            long number = in.varint();
            return new Flow(packetId, number, in.u8() == 1 ? null : in.message());
        }
    }

    private final TreeMap<Integer, Flow> flows = new TreeMap<>();
    /** By number those that are not finished; some that are stay until {@link #finishedBelow} meets them. */
    private final TreeMap<Long, Flow> unfinished = new TreeMap<>();
    /**
     * While the leader distributes what an ended connection has left: new messages, which must not overtake that. Null
     * when it does not.
     */
    @Nullable
    List<Mailbox.Call> behind;
    /** The batch that deletes the flow released last. */
    @Nullable
    Batch lastRelease;

    @Nullable
    Flow get(int packetId) {
        return flows.get(packetId);
    }

    /** The one of this number; null when that is finished. */
    @Nullable
    Flow unfinished(long number) {
        return unfinished.get(number);
    }

    void put(Flow flow) {
        flows.put(flow.packetId, flow);
        if (!flow.isFinished()) {
            unfinished.put(flow.number, flow);
        }
    }

    @Nullable
    Flow remove(int packetId) {
        Flow flow = flows.remove(packetId);
        if (flow != null) {
            unfinished.remove(flow.number);
        }
        return flow;
    }

    Collection<Flow> all() {
        return flows.values();
    }

    int[] packetIds() {
        return flows.keySet().stream().mapToInt(Integer::intValue).toArray();
    }

    boolean hasUndistributed() {
        return unfinished.values().stream().anyMatch(flow -> !flow.isDistributed());
    }

    /** Undistributed ones in the order they were received. */
    List<Flow> undistributed() {
        return unfinished.values().stream()
                .filter(flow -> !flow.isDistributed())
                .toList();
    }

    /** Tokens below this number need not be remembered by anybody. */
    long finishedBelow(long nextNumber) {
        Map.Entry<Long, Flow> first = unfinished.firstEntry();
        while (first != null && first.getValue().isFinished()) {
            unfinished.pollFirstEntry();
            first = unfinished.firstEntry();
        }
        return first == null ? nextNumber : Math.min(nextNumber, first.getKey());
    }
}
