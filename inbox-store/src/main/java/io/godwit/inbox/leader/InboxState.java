package io.godwit.inbox.leader;

import io.godwit.inbox.format.EndedSession;
import io.godwit.inbox.format.StoredWill;
import io.godwit.inbox.ledger.MovedSession;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.kv.client.RangeException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the leader holds of one inbox while that is attached, busy or was so lately; otherwise nothing but the store
 * knows it. Owned by the range leader. What stands here is ahead of the store by the batches not yet applied.
 *
 * <p>Here are its session, who holds that, and what earlier sessions have left to do; the parts of {@link Inbox} have
 * the rest.
 */
final class InboxState extends Inbox {
    private @Nullable ArrayDeque<Request> waiting;

    private @Nullable Session session;
    private @Nullable Attachment attachment;
    private @Nullable MovedSession awaited;

    private final List<StoredWill> owed = new ArrayList<>();
    private final List<EndedSession> ended = new ArrayList<>();
    private boolean isPublishingWills;
    private boolean isHandingOver;
    private boolean isRemovingRoutes;

    private boolean countsAsDetached;

    InboxState(InboxId id, byte[] prefix) {
        super(id, prefix);
    }

    // --- until it is ready

    /** A request waits until the inbox is ready, behind those that wait already. */
    void await(Request request) {
        if (waiting == null) {
            waiting = new ArrayDeque<>();
        }
        waiting.add(request);
    }

    /** Requests that wait until it is ready, in order; null for none. */
    @Nullable
    ArrayDeque<Request> waiting() {
        return waiting;
    }

    /** Goes on waiting for another. */
    void setWaiting(@Nullable ArrayDeque<Request> requests) {
        waiting = requests;
    }

    // --- the session

    @Nullable
    Session session() {
        return session;
    }

    /** A session begins or is loaded; null: it is over. */
    void setSession(@Nullable Session present) {
        session = present;
    }

    @Override
    boolean hasSession() {
        return session != null;
    }

    @Nullable
    Attachment attachment() {
        return attachment;
    }

    @Override
    @Nullable
    Connected connection() {
        return attachment;
    }

    /** The session is attached, and its connection on its way from the leader before; null when not. */
    @Nullable
    MovedSession awaited() {
        return awaited;
    }

    @Override
    boolean isHeld() {
        return attachment != null || awaited != null;
    }

    void attach(Attachment by) {
        attachment = by;
        awaited = null;
    }

    void await(MovedSession moved) {
        awaited = moved;
    }

    /** The connection is gone, or is not waited for any more. */
    void letGo() {
        attachment = null;
        awaited = null;
    }

    @Override
    boolean tellMoved(Sealing batch) {
        OwedRetained retained = session == null ? null : session.retained();
        return retained != null && retained.tellMoved(batch);
    }

    @Override
    int notedTopics() {
        OwedRetained retained = session == null ? null : session.retained();
        return retained == null ? 0 : retained.size();
    }

    // --- what earlier sessions have left to do

    /** Wills that are still to be published. */
    List<StoredWill> owed() {
        return owed;
    }

    /** Sessions that are over, but for their routes and what they have left of shared groups. */
    List<EndedSession> ended() {
        return ended;
    }

    /** Whether the record says nothing. */
    boolean hasNothing() {
        return session == null && owed.isEmpty() && ended.isEmpty();
    }

    boolean isPublishingWills() {
        return isPublishingWills;
    }

    void setPublishingWills(boolean isUnderWay) {
        isPublishingWills = isUnderWay;
    }

    boolean isHandingOver() {
        return isHandingOver;
    }

    void setHandingOver(boolean isUnderWay) {
        isHandingOver = isUnderWay;
    }

    boolean isRemovingRoutes() {
        return isRemovingRoutes;
    }

    void setRemovingRoutes(boolean isUnderWay) {
        isRemovingRoutes = isUnderWay;
    }

    /** Of the {@link StockKeeping}. */
    boolean countsAsDetached() {
        return countsAsDetached;
    }

    void setCountsAsDetached(boolean counts) {
        countsAsDetached = counts;
    }

    /** The origin of the delivery tokens of the present session's publishes. */
    static String origin(InboxId id, long incarnation) {
        return id.tenant().value() + '/' + incarnation + '/' + id.clientId().value();
    }

    /** Wills have their own origin, since they are finished in their own time. */
    static String willOrigin(InboxId id, long incarnation) {
        return origin(id, incarnation) + "/will";
    }

    /** A request for an inbox that is not ready. */
    interface Request {
        void run(InboxState state);

        void fail(RangeException cause);
    }
}
