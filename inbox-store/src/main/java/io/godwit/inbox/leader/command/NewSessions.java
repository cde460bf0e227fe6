package io.godwit.inbox.leader.command;

import io.godwit.inbox.client.Will;
import io.godwit.inbox.format.StoredWill;
import io.godwit.inbox.leader.queue.Writes;
import io.godwit.inbox.leader.session.LeaderSession;
import io.godwit.inbox.leader.state.InboxState;
import io.godwit.inbox.leader.state.StockKeeping;
import io.godwit.kv.coprocessor.LeaderContext;
import io.godwit.plugin.client.ClientInfo;
import org.jspecify.annotations.Nullable;

/** Begins sessions: assigns their incarnations, and numbers to their wills. Owned by the range leader. */
public final class NewSessions {
    private long lastIncarnation;

    private final LeaderContext context;
    private final Writes writes;
    private final StockKeeping stock;

    /** @param lastIncarnation the highest that earlier leaders on this node have given out */
    public NewSessions(LeaderContext context, Writes writes, StockKeeping stock, long lastIncarnation) {
        this.context = context;
        this.writes = writes;
        this.stock = stock;
        this.lastIncarnation = lastIncarnation;
    }

    /** Begins a session; the caller writes its record. */
    LeaderSession begin(InboxState state, ClientInfo client, long expirySeconds) {
        LeaderSession session =
                new LeaderSession(nextIncarnation(), state.queue.sequences().peek(), client, expirySeconds);
        state.setSession(session);
        state.queue.setLedger(stock.newLedger(session.first));
        stock.ledgerBegun(state);
        return session;
    }

    /** The will of the present connection in the form of the record. */
    @Nullable
    StoredWill storedWill(InboxState state, LeaderSession session, @Nullable Will will) {
        if (will == null) {
            return null;
        }
        return new StoredWill(
                session.incarnation, writes.takeSequence(state), session.client(), will.message(), will.delaySeconds());
    }

    /**
     * Rises with the clock, and strictly within a leadership. Nothing is kept of a client id without a session, so only
     * time distinguishes a new incarnation from an old one; the term distinguishes two processes when the clock was set
     * back.
     */
    private long nextIncarnation() {
        long fromClock = context.nowMillis() << 20 | (context.term() & 0xFF) << 12;
        lastIncarnation = Math.max(lastIncarnation + 1, fromClock);
        return lastIncarnation;
    }

    /** The highest incarnation given out so far. */
    public long lastIncarnation() {
        return lastIncarnation;
    }
}
