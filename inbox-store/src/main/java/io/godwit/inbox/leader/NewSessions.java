package io.godwit.inbox.leader;

import io.godwit.inbox.client.Will;
import io.godwit.inbox.format.StoredWill;
import io.godwit.kv.coprocessor.LeaderContext;
import io.godwit.plugin.client.ClientInfo;
import org.jspecify.annotations.Nullable;

/** Begins sessions: gives them incarnations and their wills numbers. Owned by the range leader. */
final class NewSessions {
    private long lastIncarnation;

    private final LeaderContext context;
    private final Writes writes;
    private final StockKeeping stock;

    /** @param lastIncarnation the highest that leaders on this node have given out before */
    NewSessions(LeaderContext context, Writes writes, StockKeeping stock, long lastIncarnation) {
        this.context = context;
        this.writes = writes;
        this.stock = stock;
        this.lastIncarnation = lastIncarnation;
    }

    /** A session begins; nobody has written its record yet. */
    Session begin(InboxState state, ClientInfo client, long expirySeconds) {
        Session session = new Session(nextIncarnation(), state.queue.sequences().peek(), client, expirySeconds);
        state.setSession(session);
        state.queue.setLedger(stock.newLedger(session.first));
        stock.ledgerBegun(state);
        return session;
    }

    /** A will of the present connection as the record has it. */
    @Nullable
    StoredWill storedWill(InboxState state, Session session, @Nullable Will will) {
        if (will == null) {
            return null;
        }
        return new StoredWill(
                session.incarnation, writes.takeSequence(state), session.client(), will.message(), will.delaySeconds());
    }

    /**
     * Rises with the clock, and always within a leadership. Nothing is kept of a client id that has no session, so it
     * is time that tells a new incarnation from one long gone; the term tells two processes apart whose clock was set
     * back.
     */
    private long nextIncarnation() {
        long fromClock = context.nowMillis() << 20 | (context.term() & 0xFF) << 12;
        lastIncarnation = Math.max(lastIncarnation + 1, fromClock);
        return lastIncarnation;
    }

    /** The highest that was given out. */
    long lastIncarnation() {
        return lastIncarnation;
    }
}
