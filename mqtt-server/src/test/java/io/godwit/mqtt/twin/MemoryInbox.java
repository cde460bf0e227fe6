package io.godwit.mqtt.twin;

import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.ContinueRequest;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.InboxClient;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.client.ReplayOutcome;
import io.godwit.inbox.client.SessionOwner;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.client.Will;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Persistent sessions in maps under one lock; every step is "committed" at once. No token memory, no limits, no early
 * push.
 */
public final class MemoryInbox implements InboxClient {
    private final Map<ClientId, MemorySession> sessions = new HashMap<>();
    private final List<Message> wills = new ArrayList<>();
    private final ArrayDeque<CompletableFuture<ReplayOutcome>> replayAnswers = new ArrayDeque<>();
    private long incarnations;
    private long lastSentBelow;

    /** A failure that the next call of any kind fails with. */
    private @Nullable RangeException nextFailure;

    /** Becomes {@link #nextFailure} when a connection has continued. */
    private @Nullable RangeException failureAfterContinuing;

    private @Nullable RangeException nextInsertFailure;
    /** Calls that a leader about to be replaced does not begin; null for none. */
    private @Nullable List<CompletableFuture<?>> notBegun;
    /** The future that the next continued connection waits for. */
    private @Nullable CompletableFuture<Void> beforeContinuing;

    private int continued;
    /** The future that deletions wait for; null for none. */
    private @Nullable CompletableFuture<Void> deletesWaitFor;
    /** The future that answers to attaches wait for; null for none. */
    private @Nullable CompletableFuture<Void> attachesWaitFor;
    /** The future that answers to detaches wait for; null for none. */
    private @Nullable CompletableFuture<Void> detachesWaitFor;

    private @Nullable CompletableFuture<Boolean> releasesWaitFor;
    /** The futures that answers to PUBRECs wait for, one after the other; empty for none. */
    private final ArrayDeque<CompletableFuture<Void>> receivedWaitFor = new ArrayDeque<>();

    private volatile boolean isCrowded;
    private int releases;
    private int removals;

    /** Sets the answer to the next PUBREC without one. */
    public synchronized void answerReceived(CompletableFuture<Void> answer) {
        receivedWaitFor.addLast(answer);
    }

    /** From now on, whether much waits. */
    public void crowd(boolean crowded) {
        isCrowded = crowded;
    }

    @Override
    public boolean isCrowded() {
        return isCrowded;
    }

    /** How far the connection that was detached last has sent. */
    public synchronized long lastSentBelow() {
        return lastSentBelow;
    }

    /**
     * The answer to the next retained message: not appended when the future is already complete, else appended at once
     * and answered later. May be called for several.
     */
    public synchronized void answerNextReplay(CompletableFuture<ReplayOutcome> answer) {
        replayAnswers.add(answer);
    }

    /** Where the retained messages owed to a subscription begin; null when none are owed. */
    public synchronized @Nullable String retainedFrom(String clientId, String filter) {
        MemorySession stored = sessions.get(new ClientId(clientId));
        StoredSubscription subscription = stored == null
                ? null
                : stored.subscriptions.get(TopicFilter.parse(filter).orElseThrow());
        return subscription == null ? null : subscription.retainedFrom();
    }

    /** From now on a PUBREL is answered with this. */
    public synchronized void answerReleasesWith(CompletableFuture<Boolean> answer) {
        releasesWaitFor = answer;
    }

    /** How many PUBRELs have come. */
    public synchronized int releases() {
        return releases;
    }

    /** How many subscriptions were to be removed, there or not. */
    public synchronized int removals() {
        return removals;
    }

    public synchronized void failNextInsert(RangeException failure) {
        nextInsertFailure = failure;
    }

    public synchronized void failNext(RangeException failure) {
        nextFailure = failure;
    }

    /** The first call after the next continued connection fails with it. */
    public synchronized void failAfterContinuing(RangeException failure) {
        failureAfterContinuing = failure;
    }

    /** From now on nothing that attachments are asked for is begun. */
    public synchronized void beginMove() {
        if (notBegun == null) {
            notBegun = new ArrayList<>();
        }
    }

    /** The leader is replaced in good order: every attachment ends, and its session waits for the connection. */
    public synchronized void moveLeader() {
        List<CompletableFuture<?>> failing = takeNotBegun();
        failing.forEach(call -> call.completeExceptionally(moved()));
        endAll(InboxListener.Reason.MOVED);
    }

    /** The same, but no connection hears of the end of its attachment. */
    public synchronized void moveLeaderUnheard() {
        List<CompletableFuture<?>> failing = takeNotBegun();
        for (MemorySession stored : sessions.values()) {
            stored.isAwaited |= stored.attachment != null;
            stored.attachment = null;
        }
        failing.forEach(call -> call.completeExceptionally(moved()));
    }

    /** The node of the leader is lost; with calls that it has begun and not answered, or not begun. */
    public synchronized void loseLeader() {
        loseLeader(RangeException.Cause.LOST);
    }

    /** @param failure of the calls that it had */
    public synchronized void loseLeader(RangeException.Cause failure) {
        List<CompletableFuture<?>> failing = takeNotBegun();
        endAll(InboxListener.Reason.LOST);
        failing.forEach(call -> call.completeExceptionally(new RangeException(failure, "asked for by the test")));
    }

    private List<CompletableFuture<?>> takeNotBegun() {
        List<CompletableFuture<?>> taken = notBegun == null ? List.of() : notBegun;
        notBegun = null;
        return taken;
    }

    private void endAll(InboxListener.Reason reason) {
        for (MemorySession stored : sessions.values()) {
            MemoryAttachment attachment = stored.attachment;
            if (attachment != null) {
                stored.attachment = null;
                stored.isAwaited = true;
                attachment.end(reason);
            }
        }
    }

    /** The next continued connection must wait for {@code gate}. */
    public synchronized void continueAfter(CompletableFuture<Void> gate) {
        beforeContinuing = gate;
    }

    /** The session counts as disconnected: its connection came too late. */
    public synchronized void giveUp(String clientId) {
        Objects.requireNonNull(sessions.get(new ClientId(clientId))).isAwaited = false;
    }

    public synchronized int continued() {
        return continued;
    }

    static RangeException moved() {
        return new RangeException(RangeException.Cause.MOVED, "asked for by the test");
    }

    @Override
    public synchronized CompletableFuture<Optional<InboxAttachment>> continueAttachment(
            ContinueRequest request, InboxListener listener) {
        CompletableFuture<Void> gate = beforeContinuing;
        beforeContinuing = null;
        if (gate != null) {
            return gate.thenCompose(open -> continueAttachment(request, listener));
        }
        CompletableFuture<Optional<InboxAttachment>> failed = failure();
        if (failed != null) {
            return failed;
        }
        ClientId clientId = request.client().clientId();
        MemorySession stored = sessions.get(clientId);
        if (stored == null || !stored.isAwaited || stored.incarnation != request.incarnation()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        stored.isAwaited = false;
        continued++;
        if (failureAfterContinuing != null) {
            nextFailure = failureAfterContinuing;
            failureAfterContinuing = null;
        }
        stored.queue
                .values()
                .removeIf(entry -> entry.sequence <= request.sentUpTo()
                        && Arrays.binarySearch(request.unanswered(), entry.sequence) < 0);
        stored.queue.values().forEach(entry -> entry.sent = entry.sequence <= request.sentUpTo());
        MemoryAttachment attachment = new MemoryAttachment(this, clientId, stored, listener, stored.will);
        stored.attachment = attachment;
        return CompletableFuture.completedFuture(Optional.of(attachment));
    }

    public synchronized List<Message> wills() {
        return List.copyOf(wills);
    }

    public synchronized int queued(String clientId) {
        MemorySession stored = sessions.get(new ClientId(clientId));
        return stored == null ? -1 : stored.queue.size();
    }

    public synchronized boolean exists(String clientId) {
        return sessions.containsKey(new ClientId(clientId));
    }

    /** Delivers to these inboxes for {@link MemoryDist}. */
    public Deliverer deliverer() {
        return delivery -> {
            List<InsertRequest.Target> targets = delivery.matches().stream()
                    .map(match -> {
                        InboxReceiver receiver = (InboxReceiver) match.receiver();
                        return new InsertRequest.Target(
                                receiver.clientId(),
                                receiver.incarnation(),
                                Qos.min(match.qos(), delivery.message().qos()),
                                match.retainAsPublished() && delivery.message().retain(),
                                match.subscriptionIds());
                    })
                    .toList();
            InsertRequest request =
                    new InsertRequest(delivery.publisher().tenant(), delivery.message(), targets, null, 0, 0);
            return insert(request)
                    .handle((done, failure) -> failure == null ? DistOutcome.DELIVERED : DistOutcome.FAILED);
        };
    }

    private <T> @Nullable CompletableFuture<T> failure() {
        RangeException failure = nextFailure;
        nextFailure = null;
        return failure == null ? null : CompletableFuture.failedFuture(failure);
    }

    @Override
    public synchronized CompletableFuture<AttachReply> attach(AttachRequest request, InboxListener listener) {
        CompletableFuture<AttachReply> failed = failure();
        if (failed != null) {
            return failed;
        }
        ClientId clientId = request.client().clientId();
        MemorySession stored = sessions.get(clientId);
        if (stored != null && stored.attachment != null) {
            stored.attachment.takenOver();
            stored.attachment = null;
        }
        boolean isPresent = stored != null && !request.cleanStart();
        if (stored == null || !isPresent) {
            stored = new MemorySession(++incarnations);
            sessions.put(clientId, stored);
        }
        stored.expirySeconds = request.expirySeconds();
        stored.userName = request.client().userName();
        stored.queue.values().forEach(entry -> entry.sent = false);
        stored.will = request.will();
        stored.isAwaited = false;
        MemoryAttachment attachment = new MemoryAttachment(this, clientId, stored, listener, request.will());
        stored.attachment = attachment;
        listener.attaching();
        AttachReply reply = new AttachReply(
                isPresent,
                stored.incarnation,
                List.copyOf(stored.subscriptions.values()),
                stored.inbound.keySet().stream().mapToInt(Integer::intValue).toArray(),
                attachment);
        return attachesWaitFor == null
                ? CompletableFuture.completedFuture(reply)
                : attachesWaitFor.thenApply(done -> reply);
    }

    /** From now on attaches are decided at once, and answered when {@code future} is complete. */
    public synchronized void answerAttachesWith(CompletableFuture<Void> future) {
        attachesWaitFor = future;
    }

    /** From now on detaches are decided at once, and answered when {@code future} is complete. */
    public synchronized void answerDetachesWith(CompletableFuture<Void> future) {
        detachesWaitFor = future;
    }

    @Override
    public synchronized CompletableFuture<SessionOwner> owner(ClientInfo client) {
        CompletableFuture<SessionOwner> failed = failure();
        if (failed != null) {
            return failed;
        }
        MemorySession stored = sessions.get(client.clientId());
        if (stored == null) {
            return CompletableFuture.completedFuture(SessionOwner.NO_SESSION);
        }
        if (Objects.equals(stored.userName, client.userName())) {
            return CompletableFuture.completedFuture(SessionOwner.SAME_USER);
        }
        return CompletableFuture.completedFuture(
                stored.userName == null ? SessionOwner.NO_USER : SessionOwner.OTHER_USER);
    }

    @Override
    public CompletableFuture<Void> keepWill(ClientInfo client, long expirySeconds, Will will, boolean isRecorded) {
        throw new UnsupportedOperationException("sessions keep no messages for later");
    }

    @Override
    public CompletableFuture<Void> distributed(
            TenantId tenant, ClientId clientId, long tokenNumber, String originDigest) {
        throw new UnsupportedOperationException("sessions keep no messages for later");
    }

    @Override
    public synchronized CompletableFuture<FilterChange> changeFilters(
            TenantId tenant,
            ClientId clientId,
            boolean countsAttachment,
            List<StoredSubscription> added,
            List<TopicFilter> removed,
            Resend resend) {
        CompletableFuture<FilterChange> failed = failure();
        if (failed != null) {
            return failed;
        }
        MemorySession stored = sessions.get(clientId);
        if (stored == null || stored.attachment != null) {
            return CompletableFuture.completedFuture(new FilterChange(
                    stored == null ? FilterChange.Outcome.NO_SESSION : FilterChange.Outcome.HELD, 0, 0, List.of()));
        }
        List<Boolean> flags = new ArrayList<>();
        added.forEach(each -> flags.add(stored.subscriptions.put(each.filter(), each) == null));
        removed.forEach(each -> flags.add(stored.subscriptions.remove(each) != null));
        return CompletableFuture.completedFuture(
                new FilterChange(FilterChange.Outcome.DONE, stored.incarnation, 0, flags));
    }

    @Override
    public CompletableFuture<Boolean> discard(TenantId tenant, ClientId clientId, Resend resend) {
        throw new AssertionError("frontends discard nothing");
    }

    @Override
    public CompletableFuture<Optional<Purged>> purge(TenantId tenant, ClientId clientId, Resend resend) {
        throw new AssertionError("frontends empty no queues");
    }

    @Override
    public CompletableFuture<Boolean> delete(TenantId tenant, ClientId clientId) {
        throw new AssertionError("frontends delete only sessions that clients give up");
    }

    @Override
    public synchronized CompletableFuture<Boolean> delete(TenantId tenant, ClientId clientId, Resend resend) {
        CompletableFuture<Boolean> failed = failure();
        if (failed != null) {
            return failed;
        }
        boolean existed = sessions.remove(clientId) != null;
        return deletesWaitFor == null
                ? CompletableFuture.completedFuture(existed)
                : deletesWaitFor.thenApply(done -> existed);
    }

    /** From now on deletions are answered when {@code future} is complete. */
    public synchronized void answerDeletesWith(CompletableFuture<Void> future) {
        deletesWaitFor = future;
    }

    @Override
    public synchronized CompletableFuture<List<InsertOutcome>> insert(InsertRequest request) {
        RangeException refusal = nextInsertFailure;
        nextInsertFailure = null;
        CompletableFuture<List<InsertOutcome>> failed =
                refusal != null ? CompletableFuture.failedFuture(refusal) : failure();
        if (failed != null) {
            return failed;
        }
        List<InsertOutcome> outcomes = new ArrayList<>();
        for (InsertRequest.Target target : request.targets()) {
            MemorySession stored = sessions.get(target.clientId());
            if (stored == null || stored.incarnation != target.incarnation()) {
                outcomes.add(InsertOutcome.NO_SESSION);
                continue;
            }
            stored.append(request, target);
            String topic = request.message().topic();
            stored.liveTopics.forEach((filter, topics) -> {
                if (filter.matches(topic)) {
                    topics.add(topic);
                }
            });
            outcomes.add(InsertOutcome.STORED);
        }
        return CompletableFuture.completedFuture(outcomes);
    }

    // --- called by attachments, with the lock

    /** Whether the leader begins no calls any more. */
    boolean isMoving() {
        return notBegun != null;
    }

    /** The answer to a call that is not begun; null if it is begun. */
    <T> @Nullable CompletableFuture<T> unbegun() {
        if (notBegun == null) {
            return failure();
        }
        CompletableFuture<T> call = new CompletableFuture<>();
        notBegun.add(call);
        return call;
    }

    /** The answer to a PUBREC; null if none was set. */
    @Nullable
    CompletableFuture<Void> nextReceivedAnswer() {
        return receivedWaitFor.poll();
    }

    /** The answer to a retained message; null if none was set. */
    @Nullable
    CompletableFuture<ReplayOutcome> nextReplayAnswer() {
        return replayAnswers.poll();
    }

    /** Counts a PUBREL; returns the answer to it, or null if none was set. */
    @Nullable
    CompletableFuture<Boolean> releaseAnswer() {
        releases++;
        return releasesWaitFor;
    }

    void countRemovals(int filters) {
        removals += filters;
    }

    /**
     * A connection has ended.
     *
     * @param will the will to be published; null for none
     */
    void detached(ClientId clientId, long sentBelow, @Nullable Will will, boolean endsSession) {
        lastSentBelow = sentBelow;
        if (will != null) {
            wills.add(will.message());
        }
        if (endsSession) {
            sessions.remove(clientId);
        }
    }

    CompletableFuture<Void> detachAnswer() {
        return detachesWaitFor == null ? CompletableFuture.completedFuture(null) : detachesWaitFor.copy();
    }
}
