package io.godwit.mqtt.transport;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The room for packets that have arrived in part, over all connections of the node: many clients that send large packets at once must not take more
 * memory than there is.
 *
 * <p>A packet asks for room when a read has left it unfinished ({@link #enter}): for all of it, although memory is taken only as its bytes
 * arrive. Without room its connection is not read any more until there is some, first come, first served; it holds what that one read has
 * brought, 64 KiB at most. With room it needs nothing more but its sender. When it is whole, or given up, its room is free for the next
 * ({@link #leave}). Packets of up to {@link #SMALL_BYTES} need no room, so that usual traffic never waits for large packets.
 *
 * <p>There are three lines, each first come, first served:
 *
 * <ul>
 *   <li>{@link #connected}, seven eighths of the room: packets up to a quarter of the whole.
 *   <li>{@link #opening}, one eighth: CONNECT packets, so that who has not said who he is takes no room from those who have. One that is larger
 *       than this is refused.
 *   <li>{@link #huge}: larger packets, one at a time and beside the room. So one that is larger than the room passes, and others meanwhile.
 * </ul>
 *
 * <p>All together hold at most the room, one packet of the largest size, and one read for each connection that waits.
 *
 * <p>Nobody waits for ever. Who has room never waits for room again, so it ends with its sender: with the packet, with the connection, or, when
 * others wait in its line and it comes too slowly, by being cut off ({@link HalfPacket#isTooSlow}). The head of a line fits as soon as the line has
 * no packet under way, since no packet is larger than its line. What is whole has left its line before anything is done with it, so that no line
 * waits for a store or another connection.
 *
 * <p>Thread-safe by a lock: every event loop has packets, the lines go across loops, and what is done under the lock is a few sums, once for
 * a packet of more than {@link #SMALL_BYTES} that needs several reads.
 */
public final class HalfReceived {
    static final int SMALL_BYTES = 4096;

    /** For wiring without a limit. */
    static final HalfReceived UNLIMITED = new HalfReceived(0);

    private final long roomBytes;
    private final Line connected;
    private final Line opening;
    private final Line huge;

    /** @param roomBytes 0 for no limit */
    public HalfReceived(long roomBytes) {
        this.roomBytes = roomBytes;
        opening = new Line(roomBytes / 8);
        connected = new Line(roomBytes - roomBytes / 8);
        huge = new Line(0);
    }

    public void register(MeterRegistry meters) {
        Gauge.builder("godwit.mqtt.half.received.bytes", this, HalfReceived::announcedBytes)
                .description("bytes, when whole, of packets that have arrived in part and have room")
                .register(meters);
        Gauge.builder("godwit.mqtt.half.received.waiting", this, HalfReceived::waiting)
                .description("packets that have arrived in part and wait for room")
                .register(meters);
    }

    /** Whether a packet of this size finds a line at all. */
    boolean takes(int frameBytes, boolean isOpening) {
        return roomBytes == 0 || !isOpening || frameBytes <= roomBytes / 8;
    }

    /**
     * Asks for room.
     *
     * @return whether there is; if not, its connection is told later, on its loop
     */
    boolean enter(HalfPacket packet) {
        return roomBytes == 0 || enterLine(packet);
    }

    private synchronized boolean enterLine(HalfPacket packet) {
        Line line = lineOf(packet);
        if (line.waiting.isEmpty() && line.fits(packet)) {
            line.admit(packet);
            return true;
        }
        line.waiting.add(packet);
        return false;
    }

    /** It is whole, or will never be. */
    void leave(HalfPacket packet) {
        if (roomBytes > 0) {
            leaveLine(packet).forEach(HalfPacket::admitted);
        }
    }

    /** Those that have room now. */
    private synchronized List<HalfPacket> leaveLine(HalfPacket packet) {
        Line line = lineOf(packet);
        if (packet.hasRoom) {
            line.expel(packet);
        } else {
            line.waiting.remove(packet);
        }
        List<HalfPacket> admitted = new ArrayList<>(0);
        Iterator<HalfPacket> heads = line.waiting.iterator();
        while (heads.hasNext()) {
            HalfPacket head = heads.next();
            if (!line.fits(head)) {
                break;
            }
            heads.remove();
            line.admit(head);
            admitted.add(head);
        }
        return admitted;
    }

    /** Whether others wait in the line of {@code packet}. */
    synchronized boolean isWanted(HalfPacket packet) {
        return !lineOf(packet).waiting.isEmpty();
    }

    /** What the packets that have room will have when they are whole. */
    synchronized long announcedBytes() {
        return connected.announcedBytes + opening.announcedBytes + huge.announcedBytes;
    }

    /** Packets whose connections wait for room. */
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
        /** 0 for one packet of any size. */
        private final long limitBytes;

        private final Set<HalfPacket> waiting = new LinkedHashSet<>();
        private long announcedBytes;

        private Line(long limitBytes) {
            this.limitBytes = limitBytes;
        }

        private boolean fits(HalfPacket packet) {
            return limitBytes == 0 ? announcedBytes == 0 : announcedBytes + packet.frameBytes() <= limitBytes;
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
