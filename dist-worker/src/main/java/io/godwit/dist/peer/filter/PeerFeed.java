package io.godwit.dist.peer.filter;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.Peer;
import io.godwit.dist.index.share.GroupMember;
import io.godwit.dist.peer.link.ControlFrames;
import io.godwit.dist.wire.FilterChange;
import io.godwit.dist.wire.FilterChanges;
import io.godwit.dist.wire.PeerFrame;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The reports of the {@link LocalFilters} to one peer: the list of all filters when it joined, and every change since.
 * Behind these it reports which stored members of shared groups are connected here ({@link MemberFeed}). Guarded by the
 * lock of {@link LiveFilters}.
 *
 * <p>A few frames of bounded size are under way at a time. The next one takes changed filters first, in their present
 * state, and is filled up with the list, which is walked in the order of the table. So no subscriber waits for the
 * list, and memory is bounded by the filters that changed meanwhile. A filter may be sent twice.
 *
 * <p>Clients wait for filters, and nobody waits for connected members. So members follow the whole list of filters. Few
 * of them go in one frame with filters, and frames that have only members leave room for others to be under way.
 */
public final class PeerFeed {
    public static final int MAX_UNDER_WAY = 4;
    /** At most so many frames are under way when one is sent that has only members. */
    private static final int MAX_BEFORE_MEMBERS = 1;

    static final int MAX_FRAME_BYTES = 32 * 1024;
    /** For members in a frame that has filters: the peer confirms those after it has handled the whole frame. */
    private static final int MAX_BESIDE_FILTERS = 4 * 1024;
    /** Also in a full frame, because filters may change all the time. */
    private static final int LEAST_BESIDE_FILTERS = 256;

    /** Size of a change without its texts. */
    private static final int CHANGE_BYTES = 16;

    /** A frame that is under way. */
    static final class Frame {
        /** All changes up to this position are in this frame or an earlier one. */
        final long covers;
        /** Whether it completes the list. */
        final boolean endsList;

        boolean isConfirmed;

        Frame(long covers, boolean endsList) {
            this.covers = covers;
            this.endsList = endsList;
        }
    }

    @SuppressWarnings("ArrayRecordComponent")
    private record Answer(long position, byte[] frame) {}

    private final LocalFilters filters;
    private final MemberFeed members;
    private final Peer peer;
    /** Is told, without the lock, that a frame of this feed has arrived. */
    private final BiConsumer<PeerFeed, Frame> arrived;
    /** Position of the last change before the peer joined; older entries are in the list. */
    private final long joinedAt;

    /** Filters with unsent changes, by the position of their first one. */
    private final Map<FilterKey, Long> changed = new LinkedHashMap<>();

    private final Deque<Frame> underWay = new ArrayDeque<>(MAX_UNDER_WAY);
    private final TreeMap<Long, List<Runnable>> waiting = new TreeMap<>();
    private final Deque<Answer> answers = new ArrayDeque<>(0);
    private long nextNumber;
    private boolean isListSent;
    private boolean isListConfirmed;
    /** The last key of the list that was sent. */
    private @Nullable FilterKey listedTo;

    private long sentTo;
    private long confirmedTo;

    PeerFeed(LocalFilters filters, ConnectedHere members, Peer peer, BiConsumer<PeerFeed, Frame> arrived) {
        this.filters = filters;
        this.members = new MemberFeed(members);
        this.peer = peer;
        this.arrived = arrived;
        this.joinedAt = filters.position();
        this.sentTo = joinedAt;
        this.confirmedTo = joinedAt;
    }

    Peer peer() {
        return peer;
    }

    void changed(FilterKey key, long position) {
        changed.putIfAbsent(key, position);
    }

    /** Not sent before the next {@link #pump}. */
    void changed(GroupMember member) {
        members.changed(member);
    }

    boolean isOfList(LocalFilters.Entry entry) {
        return entry.position <= joinedAt;
    }

    boolean hasConfirmed(LocalFilters.Entry entry) {
        return isOfList(entry) ? isListConfirmed : entry.position <= confirmedTo;
    }

    void whenConfirmed(long position, Runnable told) {
        waiting.computeIfAbsent(position, at -> new ArrayList<>(1)).add(told);
    }

    void answerBehind(long position, byte[] frame) {
        answers.addLast(new Answer(position, frame));
    }

    /** Sends as much as there is room for. */
    void pump() {
        while (underWay.size() < MAX_UNDER_WAY && (!changed.isEmpty() || !isListSent)) {
            sendNext();
        }
        while (underWay.size() <= MAX_BEFORE_MEMBERS && members.hasUnsent()) {
            sendNext();
        }
        while (isListSent && !answers.isEmpty() && answers.getFirst().position <= sentTo) {
            peer.send(Lane.CONTROL, answers.removeFirst().frame);
        }
    }

    private void sendNext() {
        FilterChanges.Builder changes =
                FilterChanges.newBuilder().setReadsStrategies(nextNumber == 0).setNumber(nextNumber++);
        int bytes = 0;
        Iterator<FilterKey> keys = changed.keySet().iterator();
        while (bytes < MAX_FRAME_BYTES && keys.hasNext()) {
            bytes += add(changes, keys.next());
            keys.remove();
        }
        if (!isListSent) {
            bytes += list(changes, bytes);
        }
        if (isListSent) {
            members.fill(changes, bytes == 0 ? MAX_FRAME_BYTES : roomBeside(bytes));
        }
        sentTo = changed.isEmpty()
                ? filters.position()
                : changed.values().iterator().next() - 1;
        Frame frame = new Frame(sentTo, isListSent);
        underWay.addLast(frame);
        byte[] encoded =
                ControlFrames.encode(PeerFrame.newBuilder().setFilters(changes).build());
        peer.send(Lane.CONTROL, encoded, new Peer.Confirmation() {
            @Override
            public void confirmed() {
                arrived.accept(PeerFeed.this, frame);
            }

            @Override
            public void lost() {} // the peer is over; waiters ask the next one
        });
    }

    private static int roomBeside(int filterBytes) {
        return Math.max(LEAST_BESIDE_FILTERS, Math.min(MAX_FRAME_BYTES - filterBytes, MAX_BESIDE_FILTERS));
    }

    /** Returns the size of what it has added. */
    private int list(FilterChanges.Builder changes, int bytesBefore) {
        int bytes = 0;
        for (FilterKey key : filters.after(listedTo).keySet()) {
            if (bytesBefore + bytes >= MAX_FRAME_BYTES) {
                return bytes;
            }
            bytes += add(changes, key);
            listedTo = key;
        }
        isListSent = true;
        changes.setEndsList(true);
        return bytes;
    }

    private int add(FilterChanges.Builder changes, FilterKey key) {
        LocalFilters.Entry entry = filters.get(key);
        String text = key.text();
        int members = entry == null ? 0 : key.isShared() ? entry.members : 1;
        changes.addChanges(FilterChange.newBuilder()
                .setTenant(key.tenant().value())
                .setFilter(text)
                .setMembers(members));
        return CHANGE_BYTES + key.tenant().value().length() + text.length();
    }

    /** Adds the callbacks to run to {@code told}; the caller runs them outside the lock. */
    void confirmed(Frame frame, List<Runnable> told) {
        frame.isConfirmed = true;
        for (Frame first = underWay.peekFirst(); first != null && first.isConfirmed; first = underWay.peekFirst()) {
            underWay.removeFirst();
            confirmedTo = first.covers;
            isListConfirmed |= first.endsList;
        }
        while (!waiting.isEmpty() && waiting.firstKey() <= confirmedTo) {
            told.addAll(waiting.pollFirstEntry().getValue());
        }
    }
}
