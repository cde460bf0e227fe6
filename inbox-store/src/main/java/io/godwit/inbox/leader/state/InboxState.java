package io.godwit.inbox.leader.state;

import io.godwit.inbox.format.EndedSession;
import io.godwit.inbox.format.StoredWill;
import io.godwit.inbox.leader.delivery.Attachment;
import io.godwit.inbox.leader.queue.Connected;
import io.godwit.inbox.leader.queue.Inbox;
import io.godwit.inbox.leader.session.LeaderSession;
import io.godwit.inbox.leader.session.OwedRetained;
import io.godwit.inbox.ledger.MovedSession;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.kv.client.RangeException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The leader's state of one inbox, in memory while the inbox is attached, busy or recently used. It is ahead of the
 * store by the batches that are not applied yet. Owned by the range leader.
 *
 * <p>This class has the session, who holds it, and the unfinished cleanup of earlier sessions; the parts of
 * {@link Inbox} have the rest.
 */
public final class InboxState extends Inbox {
    private @Nullable ArrayDeque<Request> waiting;

    private @Nullable LeaderSession session;
    private @Nullable Attachment attachment;
    private @Nullable MovedSession awaited;

    private final List<StoredWill> owed = new ArrayList<>();
    private final List<EndedSession> ended = new ArrayList<>();
    private boolean isPublishingWills;
    private boolean isHandingOver;
    private boolean isRemovingRoutes;

    private boolean countsAsDetached;

    public InboxState(InboxId id, byte[] prefix) {
        super(id, prefix);
    }

    // --- before it is ready

    /** Queues a request until the inbox is ready. */
    void await(Request request) {
        if (waiting == null) {
            waiting = new ArrayDeque<>();
        }
        waiting.add(request);
    }

    /** Requests that wait until the inbox is ready, in order; null for none. */
    @Nullable
    ArrayDeque<Request> waiting() {
        return waiting;
    }

    /** Takes over the waiting requests of another state. */
    void setWaiting(@Nullable ArrayDeque<Request> requests) {
        waiting = requests;
    }

    // --- the session

    public @Nullable LeaderSession session() {
        return session;
    }

    /** Sets the session that begins or was loaded; null when it ends. */
    public void setSession(@Nullable LeaderSession present) {
        session = present;
    }

    @Override
    protected boolean hasSession() {
        return session != null;
    }

    public @Nullable Attachment attachment() {
        return attachment;
    }

    @Override
    public @Nullable Connected connection() {
        return attachment;
    }

    /** Set while the session is attached and its connection is expected from the previous leader; else null. */
    public @Nullable MovedSession awaited() {
        return awaited;
    }

    @Override
    public boolean isHeld() {
        return attachment != null || awaited != null;
    }

    public void attach(Attachment by) {
        attachment = by;
        awaited = null;
    }

    public void await(MovedSession moved) {
        awaited = moved;
    }

    /** The connection is gone, or is no longer awaited. */
    public void letGo() {
        attachment = null;
        awaited = null;
    }

    @Override
    protected boolean tellMoved(Sealing batch) {
        OwedRetained retained = session == null ? null : session.retained();
        return retained != null && retained.tellMoved(batch);
    }

    @Override
    protected int notedTopics() {
        OwedRetained retained = session == null ? null : session.retained();
        return retained == null ? 0 : retained.size();
    }

    // --- unfinished cleanup of earlier sessions

    /** Wills that are still to be published. */
    public List<StoredWill> owed() {
        return owed;
    }

    /** Ended sessions whose routes, or messages of shared groups, are still to be handled. */
    public List<EndedSession> ended() {
        return ended;
    }

    /** Whether the record is empty, so that it can be deleted. */
    public boolean hasNothing() {
        return session == null && owed.isEmpty() && ended.isEmpty();
    }

    public boolean isPublishingWills() {
        return isPublishingWills;
    }

    public void setPublishingWills(boolean isUnderWay) {
        isPublishingWills = isUnderWay;
    }

    public boolean isHandingOver() {
        return isHandingOver;
    }

    public void setHandingOver(boolean isUnderWay) {
        isHandingOver = isUnderWay;
    }

    public boolean isRemovingRoutes() {
        return isRemovingRoutes;
    }

    public void setRemovingRoutes(boolean isUnderWay) {
        isRemovingRoutes = isUnderWay;
    }

    /** For {@link StockKeeping}. */
    boolean countsAsDetached() {
        return countsAsDetached;
    }

    void setCountsAsDetached(boolean counts) {
        countsAsDetached = counts;
    }

    /** Origin of the delivery tokens for messages that the session publishes. */
    public static String origin(InboxId id, long incarnation) {
        return id.tenant().value() + '/' + incarnation + '/' + id.clientId().value();
    }

    /** Wills have their own origin, because their tokens finish independently. */
    public static String willOrigin(InboxId id, long incarnation) {
        return origin(id, incarnation) + "/will";
    }

    /** A request for an inbox that is not ready. */
    public interface Request {
        void run(InboxState state);

        void fail(RangeException cause);
    }
}
