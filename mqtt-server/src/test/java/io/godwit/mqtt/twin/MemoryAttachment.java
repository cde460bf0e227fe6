package io.godwit.mqtt.twin;

import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.client.ReplayOutcome;
import io.godwit.inbox.client.ReplayStep;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.client.Will;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A connection of a {@link MemoryInbox} to a session. The lock of the inbox guards it. */
final class MemoryAttachment implements InboxAttachment {
    private final MemoryInbox inbox;
    private final ClientId clientId;
    private final MemorySession stored;
    private final InboxListener listener;
    private final @Nullable Will will;
    private int credit;
    private boolean isStarted;
    private boolean isMoved;

    MemoryAttachment(
            MemoryInbox inbox, ClientId clientId, MemorySession stored, InboxListener listener, @Nullable Will will) {
        this.inbox = inbox;
        this.clientId = clientId;
        this.stored = stored;
        this.listener = listener;
        this.will = will;
    }

    /** Ends it without an answer to the client. Called with the lock of the inbox. */
    void end(InboxListener.Reason reason) {
        isMoved = true;
        listener.detached(reason);
    }

    /** Another connection has taken over. Called with the lock of the inbox. */
    void takenOver() {
        listener.detached(InboxListener.Reason.TAKEN_OVER);
    }

    /** The answer to a call that is not begun; null if it is begun. */
    private <T> @Nullable CompletableFuture<T> unbegun() {
        return isMoved ? CompletableFuture.failedFuture(MemoryInbox.moved()) : inbox.unbegun();
    }

    private boolean isDeaf() {
        return isMoved || inbox.isMoving();
    }

    /** Delivers what may be delivered now. Called with the lock of the inbox. */
    void push() {
        List<InboxMessage> messages = new ArrayList<>();
        for (MemorySession.Entry entry : List.copyOf(stored.queue.values())) {
            if (entry.sent || !isStarted) {
                continue;
            }
            boolean isQos0 = entry.target.qos() == Qos.AT_MOST_ONCE;
            if (!isQos0 && credit-- <= 0) {
                credit = 0;
                break;
            }
            messages.add(entry.message(entry.sentBefore));
            entry.sent = true;
            entry.sentBefore = true;
            if (isQos0) {
                stored.queue.remove(entry.sequence);
            }
        }
        if (!messages.isEmpty()) {
            listener.deliver(messages);
        }
    }

    @Override
    public void request(int messages) {
        synchronized (inbox) {
            if (isDeaf()) {
                return;
            }
            isStarted = true;
            credit += messages;
            push();
        }
    }

    @Override
    public void acknowledge(long[] sequences) {
        synchronized (inbox) {
            if (isDeaf()) {
                return;
            }
            for (long sequence : sequences) {
                stored.queue.remove(sequence);
            }
        }
    }

    @Override
    public CompletableFuture<Void> received(long sequence) {
        synchronized (inbox) {
            CompletableFuture<Void> unbegun = isDeaf() ? unbegun() : null;
            if (unbegun != null) {
                return unbegun;
            }
            MemorySession.Entry entry = stored.queue.get(sequence);
            if (entry != null) {
                entry.released = true;
            }
            CompletableFuture<Void> answer = inbox.nextReceivedAnswer();
            return answer == null ? CompletableFuture.completedFuture(null) : answer;
        }
    }

    @Override
    public void complete(long sequence) {
        acknowledge(new long[] {sequence});
    }

    @Override
    public CompletableFuture<List<Boolean>> subscribe(List<StoredSubscription> subscriptions) {
        synchronized (inbox) {
            CompletableFuture<List<Boolean>> failed = unbegun();
            return failed != null
                    ? failed
                    : CompletableFuture.completedFuture(
                            subscriptions.stream().map(this::add).toList());
        }
    }

    private boolean add(StoredSubscription subscription) {
        TopicFilter filter = subscription.filter();
        StoredSubscription before = stored.subscriptions.get(filter);
        boolean asks = subscription.asksForRetained(before == null);
        if (asks) {
            stored.liveTopics.put(filter, new HashSet<>());
        }
        String earlier = before == null ? null : before.retainedFrom();
        stored.subscriptions.put(filter, subscription.owed(asks ? StoredSubscription.ALL_RETAINED : earlier));
        return before == null;
    }

    @Override
    public CompletableFuture<List<Boolean>> unsubscribe(List<TopicFilter> filters) {
        synchronized (inbox) {
            inbox.countRemovals(filters.size());
            CompletableFuture<List<Boolean>> failed = unbegun();
            if (failed != null) {
                return failed;
            }
            return CompletableFuture.completedFuture(filters.stream()
                    .map(filter -> {
                        stored.liveTopics.remove(filter);
                        return stored.subscriptions.remove(filter) != null;
                    })
                    .toList());
        }
    }

    @Override
    public CompletableFuture<ReplayOutcome> replay(ReplayStep step) {
        synchronized (inbox) {
            CompletableFuture<ReplayOutcome> unbegun = isDeaf() ? unbegun() : null;
            if (unbegun != null) {
                return unbegun;
            }
            if (stored.attachment != this) {
                return CompletableFuture.failedFuture(
                        new RangeException(RangeException.Cause.CLOSED, "the attachment is over"));
            }
            StoredSubscription subscription = stored.subscriptions.get(step.filter());
            if (subscription == null || !subscription.isOwedRetained()) {
                return CompletableFuture.completedFuture(ReplayOutcome.OUTDATED);
            }
            if (step.to().equals(subscription.retainedFrom())) {
                return CompletableFuture.completedFuture(ReplayOutcome.OUTDATED); // taken before
            }
            if (!step.from().equals(subscription.retainedFrom())) {
                return CompletableFuture.completedFuture(ReplayOutcome.BEHIND);
            }
            CompletableFuture<ReplayOutcome> answer = inbox.nextReplayAnswer();
            if (answer != null && answer.isDone()) {
                return answer; // anything but success
            }
            stored.subscriptions.put(step.filter(), subscription.owed(step.to()));
            Message message = step.message();
            if (stored.liveTopics.get(step.filter()).contains(message.topic())) {
                return CompletableFuture.completedFuture(ReplayOutcome.OUTDATED);
            }
            InsertRequest.Target target =
                    new InsertRequest.Target(clientId, stored.incarnation, step.qos(), true, step.subscriptionIds());
            stored.append(new InsertRequest(TenantId.DEFAULT, message, List.of(target), null, 0, 0), target);
            return answer != null ? answer : CompletableFuture.completedFuture(ReplayOutcome.STORED);
        }
    }

    @Override
    public CompletableFuture<Void> replayed(TopicFilter filter, String to) {
        synchronized (inbox) {
            CompletableFuture<Void> unbegun = isDeaf() ? unbegun() : null;
            if (unbegun != null) {
                return unbegun;
            }
            StoredSubscription subscription = stored.subscriptions.get(filter);
            if (stored.attachment == this && subscription != null && to.equals(subscription.retainedFrom())) {
                stored.subscriptions.put(filter, subscription.owed(null));
                stored.liveTopics.remove(filter);
            }
            return CompletableFuture.completedFuture(null);
        }
    }

    @Override
    public CompletableFuture<InboxAttachment.Inbound> receive(int packetId, Message message) {
        synchronized (inbox) {
            CompletableFuture<InboxAttachment.Inbound> failed = unbegun();
            if (failed != null) {
                return failed;
            }
            boolean isRepeat = stored.inbound.containsKey(packetId);
            MemorySession.Inbound record =
                    stored.inbound.computeIfAbsent(packetId, id -> new MemorySession.Inbound(message, stored.tokens++));
            return CompletableFuture.completedFuture(new InboxAttachment.Inbound(
                    record.isDistributed,
                    isRepeat && !record.isDistributed ? record.message : null,
                    clientId.value(),
                    record.token,
                    0));
        }
    }

    @Override
    public CompletableFuture<Void> distributed(int packetId, long tokenNumber) {
        synchronized (inbox) {
            CompletableFuture<Void> unbegun = isDeaf() ? unbegun() : null;
            if (unbegun != null) {
                return unbegun;
            }
            MemorySession.Inbound record = stored.inbound.get(packetId);
            if (record != null && record.token == tokenNumber) {
                record.isDistributed = true;
            }
            return CompletableFuture.completedFuture(null);
        }
    }

    @Override
    public CompletableFuture<Boolean> release(int packetId) {
        synchronized (inbox) {
            CompletableFuture<Boolean> answer = inbox.releaseAnswer();
            CompletableFuture<Boolean> unbegun = isDeaf() ? unbegun() : null;
            if (answer != null) {
                stored.inbound.remove(packetId);
                return answer;
            }
            return unbegun != null
                    ? unbegun
                    : CompletableFuture.completedFuture(stored.inbound.remove(packetId) != null);
        }
    }

    @Override
    public CompletableFuture<Void> detach(long expirySeconds, boolean publishWill, long sentBelow) {
        synchronized (inbox) {
            CompletableFuture<Void> unbegun = isDeaf() ? unbegun() : null;
            if (unbegun != null) {
                return unbegun;
            }
            if (stored.attachment == this) {
                stored.attachment = null;
                long expiry = expirySeconds < 0 ? stored.expirySeconds : expirySeconds;
                inbox.detached(clientId, sentBelow, publishWill ? will : null, expiry == 0);
                listener.detaching();
            }
            return inbox.detachAnswer();
        }
    }
}
