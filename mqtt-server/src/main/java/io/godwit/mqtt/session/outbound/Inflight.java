package io.godwit.mqtt.session.outbound;

import io.godwit.dist.client.Delivery;
import io.godwit.mqtt.session.core.LoopCounts;
import io.godwit.mqtt.session.core.QueuedBytes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The outbound QoS 1 and 2 messages whose handshake is under way, by packet id: their sequence, their state and, for
 * shared subscriptions only, the message. An open-addressing table of primitives, since every QoS 1 delivery passes
 * through it. Confined to the loop of its session.
 */
public final class Inflight {
    /** No message is under way with this packet id. */
    public static final byte NONE = 0;
    /** PUBLISH of QoS 1 sent; PUBACK ends it. */
    public static final byte AWAITS_PUBACK = 1;
    /** PUBLISH of QoS 2 sent; PUBREC is next. */
    public static final byte AWAITS_PUBREC = 2;
    /** PUBREC has arrived and is being made durable; PUBREL follows. */
    public static final byte RECORDING = 3;
    /** PUBREL sent; PUBCOMP ends it. */
    public static final byte AWAITS_PUBCOMP = 4;

    private static final int MAX_ID = 65_535;

    // parallel arrays, length a power of two, at most half full; id 0 is a free slot
    private int[] ids = new int[16];
    private byte[] states = new byte[16];
    private long[] sequences = new long[16];
    /** Messages held for other members of a shared group, by packet id; null until the first. */
    private @Nullable Map<Integer, Delivery> held;

    private long heldBytes;
    private final QueuedBytes ofNode;
    private final LoopCounts counts;

    /**
     * @param ofNode counts held bytes over all sessions of the node
     * @param counts of the session's loop
     */
    Inflight(QueuedBytes ofNode, LoopCounts counts) {
        this.ofNode = ofNode;
        this.counts = counts;
    }

    private final AckTimes times = new AckTimes();
    private int size;
    private int lastId;

    /** How long the client takes to answer. */
    AckTimes times() {
        return times;
    }

    int size() {
        return size;
    }

    /** Takes a free packet id; there is one while {@link #size} is below 65,535. */
    public int take(byte state) {
        int id = lastId;
        do {
            id = id == MAX_ID ? 1 : id + 1;
        } while (ids[placeOf(id)] == id);
        lastId = id;
        put(id, state, 0);
        return id;
    }

    /** Sets the state of {@code id}, replacing an earlier one. */
    public void put(int id, byte state, long sequence) {
        int place = placeOf(id);
        if (ids[place] == 0) {
            if (2 * (size + 1) > ids.length) {
                grow();
                place = placeOf(id);
            }
            size++;
            counts.changeOutboundUnderWay(1);
            ids[place] = id;
        }
        states[place] = state;
        sequences[place] = sequence;
    }

    /** Keeps the message sent as {@code id} for another receiver, until it is removed. */
    public void hold(int id, Delivery delivery) {
        if (held == null) {
            held = new HashMap<>();
        }
        held.put(id, delivery);
        countHeld(delivery.message().heapBytes());
    }

    private void countHeld(long change) {
        heldBytes += change;
        ofNode.add(change);
    }

    /** Whether the held messages take less than {@code most} bytes of heap, and less than the node has left for all. */
    boolean mayHoldMore(long most) {
        return heldBytes == 0 || heldBytes < Math.min(most, ofNode.free());
    }

    /** Takes all held messages, in the order in which they were sent. */
    List<Delivery> takeHeld() {
        List<Delivery> all = held();
        held = null;
        countHeld(-heldBytes);
        return all;
    }

    private List<Delivery> held() {
        Map<Integer, Delivery> all = held;
        if (all == null) {
            return List.of();
        }
        List<Integer> order = new ArrayList<>(all.keySet());
        // ids are handed out in a circle, so the one after the last is the oldest
        order.sort(Comparator.comparingInt(id -> Math.floorMod(id - lastId - 1, MAX_ID)));
        return order.stream().map(all::get).toList();
    }

    /** One of the constants above. */
    byte state(int id) {
        int place = placeOf(id);
        return ids[place] == id ? states[place] : NONE;
    }

    /** The sequence stored with {@code id}, which must be under way. */
    public long sequence(int id) {
        return sequences[placeOf(id)];
    }

    /** The sequences of all messages under way, in no order. */
    long[] sequences() {
        long[] all = new long[size];
        int count = 0;
        for (int place = 0; place < ids.length; place++) {
            if (ids[place] != 0) {
                all[count++] = sequences[place];
            }
        }
        return all;
    }

    /** The connection is over, and this object with it. */
    void close() {
        counts.changeOutboundUnderWay(-size);
    }

    public void remove(int id) {
        int hole = placeOf(id);
        if (ids[hole] != id) {
            return;
        }
        size--;
        counts.changeOutboundUnderWay(-1);
        Delivery delivery = held == null ? null : held.remove(id);
        if (delivery != null) {
            countHeld(-delivery.message().heapBytes());
        }
        int mask = ids.length - 1;
        // close the gap: pull up later entries whose own slot is at or before the hole
        for (int place = (hole + 1) & mask; ids[place] != 0; place = (place + 1) & mask) {
            int home = ids[place] & mask;
            if (((place - home) & mask) >= ((place - hole) & mask)) {
                ids[hole] = ids[place];
                states[hole] = states[place];
                sequences[hole] = sequences[place];
                hole = place;
            }
        }
        ids[hole] = 0;
    }

    private int placeOf(int id) {
        int mask = ids.length - 1;
        int place = id & mask; // ids are handed out in order, so their low bits spread them perfectly
        while (ids[place] != 0 && ids[place] != id) {
            place = (place + 1) & mask;
        }
        return place;
    }

    private void grow() {
        int[] oldIds = ids;
        byte[] oldStates = states;
        long[] oldSequences = sequences;
        ids = new int[oldIds.length * 2];
        states = new byte[ids.length];
        sequences = new long[ids.length];
        for (int i = 0; i < oldIds.length; i++) {
            if (oldIds[i] != 0) {
                int place = placeOf(oldIds[i]);
                ids[place] = oldIds[i];
                states[place] = oldStates[i];
                sequences[place] = oldSequences[i];
            }
        }
    }
}
