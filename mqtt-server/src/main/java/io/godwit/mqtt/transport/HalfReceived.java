package io.godwit.mqtt.transport;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The room for large packets, over all connections of the node: many clients that send them at once must not take more
 * memory than there is.
 *
 * <p>A packet asks for room when a read has left it unfinished ({@link #enter}): for all of it, although memory is
 * taken only as its bytes arrive. Without room its connection is not read any more until there is some, first come,
 * first served; it holds what that one read has brought, 64 KiB at most. With room it needs nothing more but its
 * sender. When it is whole, or given up, its room is free for the next ({@link #leave}), unless it is a publish that
 * has to be stored: then it takes up room until it is ({@link #stores}), so that a slow store is not given more than it
 * can take. Packets of up to {@link #SMALL_BYTES} need no room, so that usual traffic never waits for large packets.
 *
 * <p>There are three lines, each first come, first served:
 *
 * <ul>
 *   <li>{@link #connected}, seven eighths of the room: packets up to a quarter of the whole.
 *   <li>{@link #opening}, one eighth: CONNECT packets, so that who has not said who he is takes no room from those who
 *       have. One that is larger than this is refused.
 *   <li>{@link #huge}: larger packets, one at a time and beside the room. So one that is larger than the room passes,
 *       and others meanwhile.
 * </ul>
 *
 * <p>What has arrived in part holds at most the room, one packet of the largest size, and one read for each connection
 * that waits.
 *
 * <p>Nobody waits for ever. Who has room never waits for room again, so it ends with its sender: with the packet, with
 * the connection, or, when others wait in its line and it comes too slowly, by being cut off
 * ({@link HalfPacket#isTooSlow}). What is being stored ends with the store, which answers yes, no or not in time. When
 * both have ended the head of a line fits, since no packet is larger than its line.
 *
 * <p>Thread-safe by a lock: every event loop has packets, the lines go across loops, and what is done under the lock is
 * a few sums, once for a packet of more than {@link #SMALL_BYTES} that needs several reads.
 */
public final class HalfReceived {
    static final int SMALL_BYTES = 4096;

    /** For wiring without a limit. */
    static final HalfReceived UNLIMITED = new HalfReceived(0);

    /** Publishes of fewer bytes are not counted while they are stored: they came in one read. */
    static final int LARGE_BYTES = 64 * 1024;

    private final long roomBytes;
    /** Of large publishes that are being stored. Guarded by the lock. */
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
        if (line.waiting.isEmpty() && fits(line, packet)) {
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

    /** A publish of so many bytes is to be stored, or, when negative, is. */
    void stores(int bytes) {
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

    /** Those that have room now. */
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

    @SuppressWarnings("ReferenceEquality") // there are three lines
    private boolean fits(Line line, HalfPacket packet) {
        if (line == huge) {
            return line.announcedBytes == 0 && storingBytes <= roomBytes;
        }
        long taken = line == connected ? line.announcedBytes + storingBytes : line.announcedBytes;
        return taken + packet.frameBytes() <= line.limitBytes;
    }

    /** Whether others wait in the line of {@code packet}. */
    synchronized boolean isWanted(HalfPacket packet) {
        return !lineOf(packet).waiting.isEmpty();
    }

    /** What the packets that have room will have when they are whole. */
    synchronized long announcedBytes() {
        return connected.announcedBytes + opening.announcedBytes + huge.announcedBytes;
    }

    /** Of large publishes that are being stored. */
    synchronized long storingBytes() {
        return storingBytes;
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
