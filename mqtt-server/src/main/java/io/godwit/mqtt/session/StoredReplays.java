package io.godwit.mqtt.session;

import io.godwit.dist.client.InboxReceiver;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.mqtt.subscribe.ReplayQueue;
import io.godwit.mqtt.subscribe.RetainedReplay;
import io.godwit.mqtt.transport.OnEventLoop;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Retained messages for new subscriptions of a persistent session: they pass its inbox, so that one sequence gives order and packet ids,
 * a few at a time and only while the client keeps up, so that they never fill the inbox. The inbox itself skips topics that it was given
 * a newer live message of. Confined to the loop of its session.
 */
final class StoredReplays implements ReplayQueue.Sink {
    private static final int MAX_UNDELIVERED = 128;

    private final PersistentSession session;
    private final InboxAttachment attachment;
    private final InboxReceiver receiver;
    private final ReplayQueue queue;

    /** Begun at the inbox and not ended there, which ends the oldest first: one that is over early waits for those before it. */
    private final ArrayDeque<RetainedReplay> open = new ArrayDeque<>(1);

    private final Set<RetainedReplay> over = new HashSet<>(2);

    /** Inserts under way. */
    private int inserting;
    /** Inserted, or being inserted, and not yet seen among the deliveries. */
    private int undelivered;

    private boolean isQuietSinceTick;

    StoredReplays(PersistentSession session, InboxAttachment attachment, InboxReceiver receiver) {
        this.session = session;
        this.attachment = attachment;
        this.receiver = receiver;
        this.queue = new ReplayQueue(session.connection, session.services.retain, receiver.tenant(), this);
    }

    void begin(RetainedReplay replay) {
        attachment.beginReplay();
        open.addLast(replay);
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
            queue.advance();
        }
        isQuietSinceTick = true;
    }

    @Override
    public boolean isReady() {
        return undelivered < MAX_UNDELIVERED && session.isCaughtUp();
    }

    @Override
    public void accept(RetainedReplay replay, Message message) {
        inserting++;
        undelivered++;
        InsertRequest.Target target = new InsertRequest.Target(
                receiver.clientId(),
                receiver.incarnation(),
                Qos.min(message.qos(), replay.qos()),
                true,
                replay.subscriptionIds());
        InsertRequest request = new InsertRequest(receiver.tenant(), message, List.of(target), null, 0, 0, true);
        OnEventLoop.whenComplete(session.connection, session.services.inbox.insert(request), (outcomes, failure) -> {
            inserting--;
            if ((failure != null || outcomes.get(0) != InsertOutcome.STORED) && undelivered > 0) {
                undelivered--;
            }
            queue.advance();
        });
    }

    @Override
    public void ended(RetainedReplay replay) {
        over.add(replay);
        while (!open.isEmpty() && over.remove(open.getFirst())) {
            open.removeFirst();
            attachment.endReplay();
        }
        if (queue.isEmpty()) {
            session.replaysEnded();
        }
    }
}
