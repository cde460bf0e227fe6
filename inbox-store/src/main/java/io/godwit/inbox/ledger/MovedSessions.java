package io.godwit.inbox.ledger;

import io.godwit.inbox.format.StoredSession;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.report.InboxReports;
import io.godwit.kv.coprocessor.LeaderContext;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.plugin.event.DropReason;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What leaders that are stopped in good order leave to those that lead the same inboxes next on this node. Only in
 * memory: to the next process, as to another node, sessions that were attached here are disconnected. When another node
 * has led meanwhile it is too old, and given up: connections may have got later messages there.
 *
 * <p>It also has the pace at which sessions with a will are given up whose connections have not come ({@link #turn}):
 * all those of a node that has died would be due at once, when their clients connect again.
 *
 * <p>Thread-safe: the executors of several ranges meet here, those of a range that was split and of its child for one.
 * Hence the monitor, held for a look-up only.
 */
public final class MovedSessions {
    /** The leadership that has left something. */
    private record Origin(long term, RangeBounds bounds) {
        static Origin of(LeaderContext leader) {
            return new Origin(leader.term(), leader.bounds());
        }

        /**
         * Whether that leader follows this one, as far as is known: no other node leads in the same term, nor between a
         * split or a merge and what comes of it.
         */
        boolean isFollowedBy(LeaderContext next) {
            RangeBounds ofNext = next.bounds();
            return term == next.term()
                    || !Arrays.equals(bounds.start(), ofNext.start())
                    || !Arrays.equals(bounds.end(), ofNext.end());
        }
    }

    private record Moved(MovedSession session, Origin from) {}

    private record Unwritten(Disconnect disconnect, Origin from, long untilMillis) {}

    private final Map<InboxId, Moved> sessions = new HashMap<>();
    private final Map<InboxId, Unwritten> disconnects = new HashMap<>(0);
    /** Attached at leaders that are settling. */
    private final Set<InboxId> coming = new HashSet<>();
    /**
     * The highest that a leader stopped in good order has given out: the next one may have the same clock, and the same
     * term.
     */
    private final AtomicLong lastIncarnation = new AtomicLong();

    private final int willsPerSecond;
    /** From when on the next will may go out. */
    private long nextTurnMicros;

    /** With any number of wills at once. */
    public MovedSessions() {
        this(Integer.MAX_VALUE);
    }

    /** @param willsPerSecond of connections that are lost with their nodes; at least 1 */
    public MovedSessions(int willsPerSecond) {
        this.willsPerSecond = willsPerSecond;
    }

    /** When the will of a connection that is lost may go out: now or later. Each call takes one turn. */
    public synchronized long turn(long nowMillis) {
        long turnMicros = Math.max(nextTurnMicros, nowMillis * 1_000);
        nextTurnMicros = turnMicros + 1_000_000 / willsPerSecond;
        return turnMicros / 1_000;
    }

    /**
     * Its leader is settling: who leads the inbox next must not take it for disconnected before {@link #leave} or
     * {@link #withdraw}.
     */
    public synchronized void announce(InboxId id) {
        coming.add(id);
    }

    /** Its leader stops. */
    public synchronized void leave(InboxId id, MovedSession session, LeaderContext leader) {
        coming.remove(id);
        sessions.put(id, new Moved(session, Origin.of(leader)));
    }

    /** Its leader stops, and could not write how a connection had ended. */
    public synchronized void leave(InboxId id, Disconnect disconnect, LeaderContext leader) {
        long untilMillis = leader.nowMillis() + QueueSettings.WAIT_ALONE_MILLIS;
        disconnects.put(id, new Unwritten(disconnect, Origin.of(leader), untilMillis));
    }

    /** A leader has loaded the inbox: what was left of its last connection, if that is not too old. */
    public synchronized @Nullable Disconnect takeDisconnect(InboxId id, LeaderContext leader) {
        Unwritten left = disconnects.isEmpty() ? null : disconnects.remove(id);
        return left == null
                        || left.untilMillis() <= leader.nowMillis()
                        || !left.from().isFollowedBy(leader)
                ? null
                : left.disconnect();
    }

    /** What was announced and is not left will not be. */
    public synchronized void withdraw(Collection<InboxId> announced) {
        announced.forEach(coming::remove);
    }

    public synchronized boolean isComing(InboxId id) {
        return coming.contains(id);
    }

    /** A leader has loaded the inbox: what was left for this life of its session, if that is not too old. */
    public synchronized @Nullable MovedSession take(
            InboxId id, @Nullable StoredSession session, LeaderContext leader, InboxReports reports) {
        if (sessions.isEmpty()) {
            return null;
        }
        Moved left = sessions.remove(id);
        if (left == null) {
            return null;
        }
        MovedSession moved = left.session();
        boolean fits = session != null
                && session.isAttached()
                && session.incarnation == moved.incarnation
                && session.attachNumber() == moved.attachNumber
                && leader.nowMillis() < moved.untilMillis()
                && left.from().isFollowedBy(leader);
        if (!fits) {
            moved.lost(id, reports, DropReason.LEADERSHIP_LOST);
        }
        return fits ? moved : null;
    }

    /** Gives up those that no leader has come for. Any thread. */
    public void forgetOld(long nowMillis, InboxReports reports) {
        takeOld(nowMillis)
                .forEach(left -> left.getValue().session().lost(left.getKey(), reports, DropReason.LEADERSHIP_LOST));
    }

    private synchronized List<Map.Entry<InboxId, Moved>> takeOld(long nowMillis) {
        disconnects.values().removeIf(left -> left.untilMillis() <= nowMillis);
        List<Map.Entry<InboxId, Moved>> old = new ArrayList<>(0);
        sessions.entrySet().removeIf(left -> {
            boolean isOld = left.getValue().session().untilMillis() <= nowMillis;
            if (isOld) {
                old.add(Map.entry(left.getKey(), left.getValue()));
            }
            return isOld;
        });
        return old;
    }

    public void noteIncarnation(long given) {
        lastIncarnation.accumulateAndGet(given, Math::max);
    }

    public long lastIncarnation() {
        return lastIncarnation.get();
    }
}
