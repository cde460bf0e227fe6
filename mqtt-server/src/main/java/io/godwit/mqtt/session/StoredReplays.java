package io.godwit.mqtt.session;

import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.ReplayOutcome;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.mqtt.subscribe.ReplayQueue;
import io.godwit.mqtt.subscribe.RetainedReplay;
import io.godwit.mqtt.transport.OnEventLoop;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Retained messages for new subscriptions of a persistent session: they pass its inbox, so that one sequence gives order and packet ids,
 * a few at a time and only while the client keeps up, so that they never fill the inbox. The inbox itself skips topics that it was given
 * a newer live message of. Confined to the loop of its session.
 *
 * <p>None is lost: what a subscription is owed is on record with it, page by page. So when the connection ends, the next one goes on
 * ({@link #resumed}) with the page that was not complete; a crash may take it back by more. What is sent twice then comes as a message of its own. One
 * that the inbox could not take is tried again with the next tick.
 */
final class StoredReplays implements ReplayQueue.Sink {
    private static final int MAX_UNDELIVERED = 128;

    private record Unstored(RetainedReplay replay, Message message) {}

    private final PersistentSession session;
    private final InboxAttachment attachment;
    private final ReplayQueue queue;

    /** Inserts under way. */
    private int inserting;
    /** To be inserted again. */
    private final ArrayDeque<Unstored> unstored = new ArrayDeque<>(0);
    /** Inserted, or being inserted, and not yet seen among the deliveries. */
    private int undelivered;

    private boolean isQuietSinceTick;

    StoredReplays(PersistentSession session, InboxAttachment attachment) {
        this.session = session;
        this.attachment = attachment;
        this.queue = new ReplayQueue(
                session.connection, session.services.retain, session.client().tenant(), this);
    }

    /** What {@code owed}, as an earlier connection left it, is still to be given. */
    static RetainedReplay resumed(StoredSubscription owed) {
        String from = Objects.equals(owed.retainedFrom(), StoredSubscription.ALL_RETAINED) ? null : owed.retainedFrom();
        return new RetainedReplay(owed.filter(), owed.qos(), owed.subscriptionId(), from);
    }

    void begin(RetainedReplay replay) {
        queue.begin(replay);
    }

    void run(RetainedReplay replay, boolean isWanted) {
        queue.run(replay, isWanted);
    }

    void cancel(TopicFilter filter) {
        queue.cancel(filter);
    }

    void advance() {
        queue.advance();
    }

    /** A message with RETAIN was delivered: as a rule one of these. */
    void delivered() {
        isQuietSinceTick = false;
        if (undelivered > 0) {
            undelivered--;
        }
        queue.advance();
    }

    /** Messages that expired in the inbox are never delivered: when nothing has moved for a second, none is awaited any more. */
    void onTick(boolean isNothingWaiting) {
        if (isQuietSinceTick && isNothingWaiting && inserting == 0) {
            undelivered = 0;
        }
        isQuietSinceTick = true;
        for (int count = unstored.size(); count > 0; count--) {
            Unstored again = unstored.removeFirst();
            if (!again.replay.isCancelled()) {
                accept(again.replay, again.message);
            }
        }
        queue.onTick();
    }

    @Override
    public boolean isReady() {
        return undelivered < MAX_UNDELIVERED && session.isCaughtUp();
    }

    @Override
    public void accept(RetainedReplay replay, Message message) {
        inserting++;
        undelivered++;
        OnEventLoop.whenComplete(
                session.connection,
                attachment.replay(
                        replay.filter(), message, Qos.min(message.qos(), replay.qos()), replay.subscriptionIds()),
                (outcome, failure) -> inserted(new Unstored(replay, message), outcome, failure));
    }

    private void inserted(Unstored what, @Nullable ReplayOutcome outcome, @Nullable Throwable failure) {
        inserting--;
        if (session.isClosed()) {
            return;
        }
        if (outcome != ReplayOutcome.STORED && undelivered > 0) {
            undelivered--;
        }
        if (failure != null) {
            session.replayDelayed(what.replay, failure);
        }
        if (failure != null || outcome == ReplayOutcome.FULL) {
            unstored.addLast(what);
        }
        queue.advance();
    }

    @Override
    public boolean isSettled() {
        return inserting == 0 && unstored.isEmpty();
    }

    @Override
    public void reached(RetainedReplay replay, @Nullable String cursor) {
        attachment.replayed(replay.filter(), cursor);
    }

    @Override
    public void delayed(RetainedReplay replay, Throwable cause) {
        session.replayDelayed(replay, cause);
    }

    @Override
    public void ended(RetainedReplay replay) {
        if (queue.isEmpty()) {
            session.replaysEnded();
        }
    }
}
