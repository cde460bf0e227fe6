package io.godwit.inbox.queue;

import io.godwit.inbox.protocol.InboxId;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What leaders that are stopped in good order leave to those that lead the same inboxes next on this node. Only in
 * memory: to the next process, as to another node, sessions that were attached here are disconnected.
 *
 * <p>Thread-safe: the executors of several ranges meet here, those of a range that was split and of its child for one.
 * Hence the monitor, held for a look-up only.
 */
public final class MovedSessions {
    private record Unwritten(Disconnect disconnect, long untilMillis) {}

    private final Map<InboxId, MovedSession> sessions = new HashMap<>();
    private final Map<InboxId, Unwritten> disconnects = new HashMap<>(0);
    /** Attached at leaders that are settling. */
    private final Set<InboxId> coming = new HashSet<>();
    /**
     * The highest that a leader stopped in good order has given out: the next one may have the same clock, and the same
     * term.
     */
    private final AtomicLong lastIncarnation = new AtomicLong();

    /**
     * Its leader is settling: who leads the inbox next must not take it for disconnected before {@link #leave} or
     * {@link #withdraw}.
     */
    synchronized void announce(InboxId id) {
        coming.add(id);
    }

    /** Its leader stops. */
    synchronized void leave(InboxId id, MovedSession session) {
        coming.remove(id);
        sessions.put(id, session);
    }

    /** Its leader stops, and could not write how a connection had ended. */
    synchronized void leave(InboxId id, Disconnect disconnect, long nowMillis) {
        disconnects.put(id, new Unwritten(disconnect, nowMillis + MovedSession.WAIT_MILLIS));
    }

    /** A leader has loaded the inbox: what was left of its last connection, if that is not too old. */
    synchronized @Nullable Disconnect takeDisconnect(InboxId id, long nowMillis) {
        Unwritten left = disconnects.isEmpty() ? null : disconnects.remove(id);
        return left == null || left.untilMillis() <= nowMillis ? null : left.disconnect();
    }

    /** What was announced and is not left will not be. */
    synchronized void withdraw(Collection<InboxId> announced) {
        announced.forEach(coming::remove);
    }

    synchronized boolean isComing(InboxId id) {
        return coming.contains(id);
    }

    /** A leader has loaded the inbox: what was left for this life of its session, if that is not too old. */
    synchronized @Nullable MovedSession take(
            InboxId id, @Nullable Session session, long nowMillis, InboxReports reports) {
        if (sessions.isEmpty()) {
            return null;
        }
        MovedSession moved = sessions.remove(id);
        if (moved == null) {
            return null;
        }
        boolean fits = session != null
                && session.attached
                && session.incarnation == moved.incarnation
                && session.attachNumber == moved.attachNumber
                && nowMillis < moved.untilMillis();
        if (!fits) {
            moved.lost(id, reports);
        }
        return fits ? moved : null;
    }

    /** Gives up those that no leader has come for. */
    synchronized void forgetOld(long nowMillis, InboxReports reports) {
        disconnects.values().removeIf(left -> left.untilMillis() <= nowMillis);
        for (Iterator<Map.Entry<InboxId, MovedSession>> all =
                        sessions.entrySet().iterator();
                all.hasNext(); ) {
            Map.Entry<InboxId, MovedSession> each = all.next();
            if (each.getValue().untilMillis() <= nowMillis) {
                all.remove();
                each.getValue().lost(each.getKey(), reports);
            }
        }
    }

    void noteIncarnation(long given) {
        lastIncarnation.accumulateAndGet(given, Math::max);
    }

    long lastIncarnation() {
        return lastIncarnation.get();
    }
}
