package io.godwit.mqtt.session.persistent;

import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.ReplayOutcome;
import io.godwit.inbox.client.ReplayStep;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.mqtt.session.core.SessionCore;
import io.godwit.mqtt.subscribe.ReplayQueue;
import io.godwit.mqtt.subscribe.RetainedReplay;
import io.godwit.mqtt.transport.connection.OnEventLoop;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Retained messages for new subscriptions of a persistent session. They pass through its inbox, so that one sequence
 * gives order and packet ids, a few at a time and only while the client keeps up, so that they never fill the inbox.
 * The inbox itself skips a topic if it already got a newer live message of it. Confined to the loop of its session.
 *
 * <p>None is lost or delivered twice: the remaining position of a subscription is recorded with it, and advances with
 * each message in one commit. So when the connection ends, the next one continues after the last stored message
 * ({@link #resumed}). Messages that the inbox could not take, and all under way after them, are tried again with the
 * next tick, in order.
 */
final class StoredReplays implements ReplayQueue.Sink {
    private static final int MAX_UNDELIVERED = 128;

    /** The session as the receiver of the messages. */
    interface Owner {
        /** Whether everything that the store delivered has been sent to the client, and it can take more. */
        boolean isCaughtUp();

        /** No replay is left. */
        void replaysEnded();
    }

    /** @param number in the order of acceptance */
    private record Accepted(long number, RetainedReplay replay, ReplayStep step) {}

    private final SessionCore session;
    private final Owner owner;
    private final InboxAttachment attachment;
    private final ReplayQueue queue;

    private long lastNumber;

    /** Inserts under way. */
    private int inserting;
    /** Messages to insert again, by number. */
    private final TreeMap<Long, Accepted> unstored = new TreeMap<>();
    /** Inserted or being inserted, and not yet delivered. */
    private int undelivered;

    private boolean isQuietSinceTick;

    StoredReplays(SessionCore session, InboxAttachment attachment, Owner owner) {
        this.session = session;
        this.owner = owner;
        this.attachment = attachment;
        this.queue = new ReplayQueue(
                session.connection,
                session.services.retain,
                session.client().tenant(),
                this,
                session.services.noteBytes);
    }

    /** The rest of {@code owed} that an earlier connection left. */
    static RetainedReplay resumed(StoredSubscription owed) {
        String from = Objects.equals(owed.retainedFrom(), StoredSubscription.ALL_RETAINED) ? null : owed.retainedFrom();
        return new RetainedReplay(owed.filter(), owed.qos(), owed.subscriptionId(), from);
    }

    void close() {
        queue.close();
    }

    void begin(RetainedReplay replay) {
        queue.begin(replay);
    }

    void run(RetainedReplay replay, boolean isWanted) {
        queue.run(replay, isWanted);
        dropCancelled();
    }

    void cancel(TopicFilter filter) {
        queue.cancel(filter);
        dropCancelled();
    }

    private void dropCancelled() {
        if (unstored.values().removeIf(what -> what.replay.isCancelled())) {
            queue.advance(); // others wait for them
        }
    }

    void advance() {
        queue.advance();
    }

    /** A message with RETAIN was delivered: usually one of these. */
    void delivered() {
        isQuietSinceTick = false;
        if (undelivered > 0) {
            undelivered--;
        }
        queue.advance();
    }

    /**
     * Messages that expired in the inbox are never delivered: after a second without progress none is expected any
     * more.
     */
    void onTick(boolean isNothingWaiting) {
        if (isQuietSinceTick && isNothingWaiting && inserting == 0) {
            undelivered = 0;
        }
        isQuietSinceTick = true;
        // one by one, so that no newer message overtakes them
        for (Accepted what : List.copyOf(unstored.values())) {
            if (!what.replay.isHeld()) {
                unstored.remove(what.number);
                if (!what.replay.isCancelled()) {
                    insert(what);
                }
            }
        }
        queue.onTick();
    }

    @Override
    public boolean isReady() {
        return undelivered < MAX_UNDELIVERED && unstored.isEmpty() && owner.isCaughtUp();
    }

    @Override
    public void accept(RetainedReplay replay, Message message) {
        String to = session.services.retain.cursorBehind(session.client().tenant(), message.topic());
        Qos qos = Qos.min(message.qos(), replay.qos());
        ReplayStep step = new ReplayStep(replay.filter(), placeOf(replay), to, message, qos, replay.subscriptionIds());
        replay.moveTo(to);
        insert(new Accepted(lastNumber++, replay, step));
    }

    @Override
    public long maxMatches() {
        return session.maxRetainedMatches();
    }

    @Override
    public void limited(RetainedReplay replay, long most) {
        session.replayLimited(replay, most);
    }

    private static String placeOf(RetainedReplay replay) {
        return Objects.requireNonNullElse(replay.place(), StoredSubscription.ALL_RETAINED);
    }

    private void insert(Accepted what) {
        inserting++;
        undelivered++;
        OnEventLoop.whenComplete(
                session.connection,
                attachment.replay(what.step),
                (outcome, failure) -> inserted(what, outcome, failure));
    }

    private void inserted(Accepted what, @Nullable ReplayOutcome outcome, @Nullable Throwable failure) {
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
        if (failure != null || outcome == ReplayOutcome.FULL || outcome == ReplayOutcome.BEHIND) {
            if (what.number > what.replay.takenUpTo()) {
                unstored.put(what.number, what);
            }
        } else {
            taken(what);
        }
        queue.advance();
    }

    /**
     * A taken step implies that earlier steps are taken: an earlier leader took them, but was lost before it could
     * answer.
     */
    private void taken(Accepted what) {
        what.replay.takenUpTo(what.number);
        unstored.headMap(what.number).values().removeIf(earlier -> earlier.replay.equals(what.replay));
    }

    @Override
    public boolean isSettled() {
        return inserting == 0 && unstored.isEmpty();
    }

    @Override
    public void completed(RetainedReplay replay) {
        attachment.replayed(replay.filter(), placeOf(replay));
    }

    @Override
    public void delayed(RetainedReplay replay, Throwable cause) {
        session.replayDelayed(replay, cause);
    }

    @Override
    public void ended(RetainedReplay replay) {
        if (queue.isEmpty()) {
            owner.replaysEnded();
        }
    }
}
