package io.godwit.mqtt.transport.limit;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The memory budget for large packets, over all connections of the node: many clients that send them at once must not
 * take more memory than there is.
 *
 * <p>A packet enters when a read has left it incomplete ({@link #enter}). It is charged with its full size, although it
 * takes memory only as its bytes arrive. If the budget is used up, its connection is not read until the packet is
 * admitted, first come, first served; it holds the bytes of that one read, 64 KiB at most. An admitted packet depends
 * only on its sender. When it is complete or given up, its budget is free for the next ({@link #leave}). But a publish
 * that must be stored stays charged until it is ({@link #stores}), so that a slow store does not get more than it can
 * take. Packets of up to {@link #SMALL_BYTES} are not charged, so that usual traffic never waits for large packets.
 *
 * <p>There are three lines, each first come, first served:
 *
 * <ul>
 *   <li>{@link #connected}, seven eighths of the budget: packets up to a quarter of the whole.
 *   <li>{@link #opening}, one eighth: CONNECT packets, so that clients that have not logged in take nothing from those
 *       that have. A CONNECT larger than this is refused.
 *   <li>{@link #huge}: larger packets, one at a time and outside the budget. So even one larger than the budget passes,
 *       and others meanwhile.
 * </ul>
 *
 * <p>Incomplete packets hold at most the budget, one packet of the largest size, and one read for each waiting
 * connection.
 *
 * <p>No packet waits for ever. An admitted packet never waits again, so it ends with its sender: when it is complete,
 * when the connection ends, or, if others wait in its line and it comes too slowly, by being cut off
 * ({@link HalfPacket#isTooSlow}). Storing ends with the store, which answers success, failure or not in time. When both
 * have ended the head of a line fits, since no packet is larger than its line.
 *
 * <p>Thread-safe by a lock: every event loop has packets, the lines span loops, and the lock is held for a few sums,
 * once for a packet of more than {@link #SMALL_BYTES} that needs several reads.
 */
public final class HalfReceived {
    public static final int SMALL_BYTES = 4096;

    /** For a server without this limit. */
    public static final HalfReceived UNLIMITED = new HalfReceived(0);

    /** Smaller publishes are not charged while they are stored: they came in one read. */
    public static final int LARGE_BYTES = 64 * 1024;

    private final long roomBytes;
    /** Bytes of large publishes being stored. Guarded by the lock. */
    private long storingBytes;

    private final Line connected;
    private final Line opening;
    private final Line huge;

    /** @param roomBytes 0 for no limit */
    public HalfReceived(long roomBytes) {
        this.roomBytes = roomBytes;
        opening = new Line(roomBytes / 8);
        connected = new Line(roomBytes - roomBytes / 8);
        huge = new Line(Long.MAX_VALUE);
    }

    public void register(MeterRegistry meters) {
        Gauge.builder("godwit.mqtt.half.received.bytes", this, HalfReceived::announcedBytes)
                .baseUnit(BaseUnits.BYTES)
                .description("bytes, when whole, of packets that have arrived in part and have room")
                .register(meters);
        Gauge.builder("godwit.mqtt.half.received.storing.bytes", this, HalfReceived::storingBytes)
                .baseUnit(BaseUnits.BYTES)
                .description("bytes of large publishes that are being stored")
                .register(meters);
        Gauge.builder("godwit.mqtt.half.received.waiting", this, HalfReceived::waiting)
                .description("packets that have arrived in part and wait for room")
                .register(meters);
    }

    /** Whether the limits allow a packet of this size at all. */
    public boolean takes(int frameBytes, boolean isOpening) {
        return roomBytes == 0 || !isOpening || frameBytes <= roomBytes / 8;
    }

    /**
     * Enters a packet.
     *
     * @return whether it is admitted; if not, its connection is notified later
     */
    public boolean enter(HalfPacket packet) {
        return roomBytes == 0 || enterLine(packet);
    }

    private synchronized boolean enterLine(HalfPacket packet) {
        Line line = lineOf(packet);
        if (line.waiting.isEmpty() && fits(line, packet)) {
            line.admit(packet);
            return true;
        }
        line.waiting.add(packet);
        return false;
    }

    /** The packet is complete, or will never be. */
    public void leave(HalfPacket packet) {
        if (roomBytes > 0) {
            leaveLine(packet).forEach(HalfPacket::admitted);
        }
    }

    /** A publish of this many bytes is about to be stored; negative when storing has ended. */
    public void stores(int bytes) {
        if (roomBytes > 0) {
            storesInRoom(bytes).forEach(HalfPacket::admitted);
        }
    }

    private synchronized List<HalfPacket> storesInRoom(int bytes) {
        storingBytes += bytes;
        if (bytes > 0) {
            return List.of();
        }
        List<HalfPacket> admitted = admitted(connected);
        admitted.addAll(admitted(huge));
        return admitted;
    }

    /** Returns the packets admitted now. */
    private synchronized List<HalfPacket> leaveLine(HalfPacket packet) {
        Line line = lineOf(packet);
        if (packet.hasRoom) {
            line.expel(packet);
        } else {
            line.waiting.remove(packet);
        }
        return admitted(line);
    }

    private List<HalfPacket> admitted(Line line) {
        List<HalfPacket> admitted = new ArrayList<>(0);
        Iterator<HalfPacket> heads = line.waiting.iterator();
        while (heads.hasNext()) {
            HalfPacket head = heads.next();
            if (!fits(line, head)) {
                break;
            }
            heads.remove();
            line.admit(head);
            admitted.add(head);
        }
        return admitted;
    }

    @SuppressWarnings("ReferenceEquality") // there are only three lines
    private boolean fits(Line line, HalfPacket packet) {
        if (line == huge) {
            return line.announcedBytes == 0 && storingBytes <= roomBytes;
        }
        long taken = line == connected ? line.announcedBytes + storingBytes : line.announcedBytes;
        return taken + packet.frameBytes() <= line.limitBytes;
    }

    /** Whether others wait in the line of {@code packet}. */
    public synchronized boolean isWanted(HalfPacket packet) {
        return !lineOf(packet).waiting.isEmpty();
    }

    /** Full size of all admitted packets. */
    public synchronized long announcedBytes() {
        return connected.announcedBytes + opening.announcedBytes + huge.announcedBytes;
    }

    /** Bytes of large publishes being stored. */
    synchronized long storingBytes() {
        return storingBytes;
    }

    /** Number of waiting packets. */
    synchronized int waiting() {
        return connected.waiting.size() + opening.waiting.size() + huge.waiting.size();
    }

    private Line lineOf(HalfPacket packet) {
        if (packet.isOpening()) {
            return opening;
        }
        return packet.frameBytes() <= roomBytes / 4 ? connected : huge;
    }

    /** Guarded by the lock. */
    private static final class Line {
        private final long limitBytes;

        private final Set<HalfPacket> waiting = new LinkedHashSet<>();
        private long announcedBytes;

        private Line(long limitBytes) {
            this.limitBytes = limitBytes;
        }

        private void admit(HalfPacket packet) {
            packet.hasRoom = true;
            announcedBytes += packet.frameBytes();
        }

        private void expel(HalfPacket packet) {
            packet.hasRoom = false;
            announcedBytes -= packet.frameBytes();
        }
    }
}
