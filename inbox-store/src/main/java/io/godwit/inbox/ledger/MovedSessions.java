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
 * State that leaders stopped in good order hand over to the next leaders of the same inboxes on this node. Only in
 * memory: for a later process, or another node, sessions that were attached here are disconnected. If another node has
 * led in between, the state is outdated and dropped, because connections may have received later messages there.
 *
 * <p>Also paces the wills of sessions whose connections have not come back ({@link #turn}): all those of a node that
 * has died would be due at once, just when their clients reconnect.
 *
 * <p>Thread-safe: the executors of several ranges contend, for example those of a range that was split and of its
 * child. Hence the monitor, held only for look-ups.
 */
public final class MovedSessions {
    /** The leadership that has handed something over. */
    private record Origin(long term, RangeBounds bounds) {
        static Origin of(LeaderContext leader) {
            return new Origin(leader.term(), leader.bounds());
        }

        /**
         * Whether {@code next} follows this leadership, as far as is known: no other node leads in the same term, nor
         * between a split or merge and the ranges it makes.
         */
        boolean isFollowedBy(LeaderContext next) {
            RangeBounds ofNext = next.bounds();
            return term == next.term()
                    || !Arrays.equals(bounds.start(), ofNext.start())
                    || !Arrays.equals(bounds.end(), ofNext.end());
        }
    }

    private record Moved(MovedSession session, Origin from) {}

    private record Unwritten(ConnectionEnd disconnect, Origin from, long untilMillis) {}

    private final Map<InboxId, Moved> sessions = new HashMap<>();
    private final Map<InboxId, Unwritten> disconnects = new HashMap<>(0);
    /** Inboxes attached at leaders that are settling. */
    private final Set<InboxId> coming = new HashSet<>();
    /**
     * The highest incarnation that a leader stopped in good order has given out: the next leader may have the same
     * clock reading and the same term.
     */
    private final AtomicLong lastIncarnation = new AtomicLong();

    private final int willsPerSecond;
    /** When the next will may go out. */
    private long nextTurnMicros;

    /** Without a limit on wills. */
    public MovedSessions() {
        this(Integer.MAX_VALUE);
    }

    /** @param willsPerSecond limit on wills of connections that are lost with their nodes; at least 1 */
    public MovedSessions(int willsPerSecond) {
        this.willsPerSecond = willsPerSecond;
    }

    /**
     * The time at which the will of a lost connection may go out, at {@code nowMillis} or later. Each call reserves one
     * slot.
     */
    public synchronized long turn(long nowMillis) {
        long turnMicros = Math.max(nextTurnMicros, nowMillis * 1_000);
        nextTurnMicros = turnMicros + 1_000_000 / willsPerSecond;
        return turnMicros / 1_000;
    }

    /**
     * The leader of the inbox is settling: until {@link #leave} or {@link #withdraw}, the next leader must not treat
     * the inbox as disconnected.
     */
    public synchronized void announce(InboxId id) {
        coming.add(id);
    }

    /** The leader of the inbox stops and hands the session over. */
    public synchronized void leave(InboxId id, MovedSession session, LeaderContext leader) {
        coming.remove(id);
        sessions.put(id, new Moved(session, Origin.of(leader)));
    }

    /** The leader of the inbox stops, and could not write how a connection had ended. */
    public synchronized void leave(InboxId id, ConnectionEnd disconnect, LeaderContext leader) {
        long untilMillis = leader.nowMillis() + QueueSettings.WAIT_ALONE_MILLIS;
        disconnects.put(id, new Unwritten(disconnect, Origin.of(leader), untilMillis));
    }

    /** A leader has loaded the inbox: the end of its last connection that was handed over, unless it is outdated. */
    public synchronized @Nullable ConnectionEnd takeDisconnect(InboxId id, LeaderContext leader) {
        Unwritten left = disconnects.isEmpty() ? null : disconnects.remove(id);
        return left == null
                        || left.untilMillis() <= leader.nowMillis()
                        || !left.from().isFollowedBy(leader)
                ? null
                : left.disconnect();
    }

    /** Ends the announcement of inboxes that will not be handed over. */
    public synchronized void withdraw(Collection<InboxId> announced) {
        announced.forEach(coming::remove);
    }

    public synchronized boolean isComing(InboxId id) {
        return coming.contains(id);
    }

    /**
     * A leader has loaded the inbox: the state handed over for this incarnation of its session, unless it is outdated.
     */
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

    /** Drops sessions that no leader has taken in time. Any thread. */
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
