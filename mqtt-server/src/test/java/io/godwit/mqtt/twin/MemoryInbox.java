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
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.client.ReplayOutcome;
import io.godwit.inbox.client.ReplayStep;
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
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Persistent sessions in maps under one lock; every step is "committed" at once. No token memory, no limits, no early
 * push.
 */
public final class MemoryInbox implements InboxClient {
    private final Map<ClientId, Stored> sessions = new HashMap<>();
    private final List<Message> wills = new ArrayList<>();
    private final ArrayDeque<CompletableFuture<ReplayOutcome>> replayAnswers = new ArrayDeque<>();
    private long incarnations;
    private long lastSentBelow;

    /** A failure that the next call of any kind fails with. */
    private @Nullable RangeException nextFailure;

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

    private static final class Entry {
        final long sequence;
        final InsertRequest request;
        final InsertRequest.Target target;
        boolean sent;
        boolean sentBefore;
        boolean released;

        Entry(long sequence, InsertRequest request, InsertRequest.Target target) {
            this.sequence = sequence;
            this.request = request;
            this.target = target;
        }

        InboxMessage message(boolean redelivered) {
            int packetId = target.qos() == Qos.AT_MOST_ONCE ? 0 : (int) (1 + sequence % 65_535);
            return new InboxMessage(
                    sequence,
                    packetId,
                    request.message(),
                    target.qos(),
                    target.retain(),
                    redelivered,
                    released,
                    target.subscriptionIds());
        }
    }

    private static final class Stored {
        final long incarnation;
        long expirySeconds;

        @Nullable
        String userName;

        @Nullable
        Will will;

        final Map<TopicFilter, StoredSubscription> subscriptions = new LinkedHashMap<>();
        /** For each subscription owed retained messages, the topics of live messages since it was made. */
        final Map<TopicFilter, Set<String>> liveTopics = new HashMap<>();

        final TreeMap<Long, Entry> queue = new TreeMap<>();
        final TreeMap<Integer, Inbound> inbound = new TreeMap<>();
        /** 0 means nothing to the protocol between store and frontend. */
        long nextSequence = 1;

        long tokens;

        @Nullable
        Attachment attachment;
        /** Its attachment was ended by {@link #moveLeader}. */
        boolean isAwaited;

        Stored(long incarnation) {
            this.incarnation = incarnation;
        }
    }

    private static final class Inbound {
        final Message message;
        final long token;
        boolean isDistributed;

        Inbound(Message message, long token) {
            this.message = message;
            this.token = token;
        }
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
        Stored stored = sessions.get(new ClientId(clientId));
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

    /** A leader that stops fails the calls that it has not begun; the end of the attachments does not arrive. */
    public synchronized void failNotBegun() {
        takeNotBegun().forEach(call -> call.completeExceptionally(moved()));
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
        for (Stored stored : sessions.values()) {
            Attachment attachment = stored.attachment;
            if (attachment != null) {
                stored.attachment = null;
                stored.isAwaited = true;
                attachment.isMoved = true;
                attachment.listener.detached(reason);
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

    private static RangeException moved() {
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
        Stored stored = sessions.get(clientId);
        if (stored == null || !stored.isAwaited || stored.incarnation != request.incarnation()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        stored.isAwaited = false;
        continued++;
        stored.queue
                .values()
                .removeIf(entry -> entry.sequence <= request.sentUpTo()
                        && Arrays.binarySearch(request.unanswered(), entry.sequence) < 0);
        stored.queue.values().forEach(entry -> entry.sent = entry.sequence <= request.sentUpTo());
        Attachment attachment = new Attachment(clientId, stored, listener, stored.will);
        stored.attachment = attachment;
        return CompletableFuture.completedFuture(Optional.of(attachment));
    }

    public synchronized List<Message> wills() {
        return List.copyOf(wills);
    }

    public synchronized int queued(String clientId) {
        Stored stored = sessions.get(new ClientId(clientId));
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
        Stored stored = sessions.get(clientId);
        if (stored != null && stored.attachment != null) {
            stored.attachment.listener.detached(InboxListener.Reason.TAKEN_OVER);
            stored.attachment = null;
        }
        boolean isPresent = stored != null && !request.cleanStart();
        if (stored == null || !isPresent) {
            stored = new Stored(++incarnations);
            sessions.put(clientId, stored);
        }
        stored.expirySeconds = request.expirySeconds();
        stored.userName = request.client().userName();
        stored.queue.values().forEach(entry -> entry.sent = false);
        stored.will = request.will();
        stored.isAwaited = false;
        Attachment attachment = new Attachment(clientId, stored, listener, request.will());
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
        Stored stored = sessions.get(client.clientId());
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
        Stored stored = sessions.get(clientId);
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
            Stored stored = sessions.get(target.clientId());
            if (stored == null || stored.incarnation != target.incarnation()) {
                outcomes.add(InsertOutcome.NO_SESSION);
                continue;
            }
            append(stored, request, target);
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

    private static void append(Stored stored, InsertRequest request, InsertRequest.Target target) {
        Entry entry = new Entry(stored.nextSequence++, request, target);
        stored.queue.put(entry.sequence, entry);
        if (stored.attachment != null) {
            stored.attachment.push();
        }
    }

    private final class Attachment implements InboxAttachment {
        private final ClientId clientId;
        private final Stored stored;
        private final InboxListener listener;
        private final @Nullable Will will;
        private int credit;
        private boolean isStarted;
        private boolean isMoved;

        private Attachment(ClientId clientId, Stored stored, InboxListener listener, @Nullable Will will) {
            this.clientId = clientId;
            this.stored = stored;
            this.listener = listener;
            this.will = will;
        }

        /** The answer to a call that is not begun; null if it is begun. */
        private <T> @Nullable CompletableFuture<T> unbegun() {
            if (isMoved) {
                return CompletableFuture.failedFuture(moved());
            }
            if (notBegun == null) {
                return failure();
            }
            CompletableFuture<T> call = new CompletableFuture<>();
            notBegun.add(call);
            return call;
        }

        private boolean isDeaf() {
            return isMoved || notBegun != null;
        }

        private void push() {
            List<InboxMessage> messages = new ArrayList<>();
            for (Entry entry : List.copyOf(stored.queue.values())) {
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
            synchronized (MemoryInbox.this) {
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
            synchronized (MemoryInbox.this) {
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
            synchronized (MemoryInbox.this) {
                CompletableFuture<Void> unbegun = isDeaf() ? unbegun() : null;
                if (unbegun != null) {
                    return unbegun;
                }
                Entry entry = stored.queue.get(sequence);
                if (entry != null) {
                    entry.released = true;
                }
                CompletableFuture<Void> answer = receivedWaitFor.poll();
                return answer == null ? CompletableFuture.completedFuture(null) : answer;
            }
        }

        @Override
        public void complete(long sequence) {
            acknowledge(new long[] {sequence});
        }

        @Override
        public CompletableFuture<List<Boolean>> subscribe(List<StoredSubscription> subscriptions) {
            synchronized (MemoryInbox.this) {
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
            synchronized (MemoryInbox.this) {
                removals += filters.size();
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
            synchronized (MemoryInbox.this) {
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
                CompletableFuture<ReplayOutcome> answer = replayAnswers.poll();
                if (answer != null && answer.isDone()) {
                    return answer; // anything but success
                }
                stored.subscriptions.put(step.filter(), subscription.owed(step.to()));
                Message message = step.message();
                if (stored.liveTopics.get(step.filter()).contains(message.topic())) {
                    return CompletableFuture.completedFuture(ReplayOutcome.OUTDATED);
                }
                InsertRequest.Target target = new InsertRequest.Target(
                        clientId, stored.incarnation, step.qos(), true, step.subscriptionIds());
                append(stored, new InsertRequest(TenantId.DEFAULT, message, List.of(target), null, 0, 0), target);
                return answer != null ? answer : CompletableFuture.completedFuture(ReplayOutcome.STORED);
            }
        }

        @Override
        public CompletableFuture<Void> replayed(TopicFilter filter, String to) {
            synchronized (MemoryInbox.this) {
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
            synchronized (MemoryInbox.this) {
                CompletableFuture<InboxAttachment.Inbound> failed = unbegun();
                if (failed != null) {
                    return failed;
                }
                boolean isRepeat = stored.inbound.containsKey(packetId);
                MemoryInbox.Inbound record = stored.inbound.computeIfAbsent(
                        packetId, id -> new MemoryInbox.Inbound(message, stored.tokens++));
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
            synchronized (MemoryInbox.this) {
                CompletableFuture<Void> unbegun = isDeaf() ? unbegun() : null;
                if (unbegun != null) {
                    return unbegun;
                }
                MemoryInbox.Inbound record = stored.inbound.get(packetId);
                if (record != null && record.token == tokenNumber) {
                    record.isDistributed = true;
                }
                return CompletableFuture.completedFuture(null);
            }
        }

        @Override
        public CompletableFuture<Boolean> release(int packetId) {
            synchronized (MemoryInbox.this) {
                releases++;
                CompletableFuture<Boolean> unbegun = isDeaf() ? unbegun() : null;
                if (releasesWaitFor != null) {
                    stored.inbound.remove(packetId);
                    return releasesWaitFor;
                }
                return unbegun != null
                        ? unbegun
                        : CompletableFuture.completedFuture(stored.inbound.remove(packetId) != null);
            }
        }

        @Override
        public CompletableFuture<Void> detach(long expirySeconds, boolean publishWill, long sentBelow) {
            synchronized (MemoryInbox.this) {
                CompletableFuture<Void> unbegun = isDeaf() ? unbegun() : null;
                if (unbegun != null) {
                    return unbegun;
                }
                if (stored.attachment == this) {
                    stored.attachment = null;
                    lastSentBelow = sentBelow;
                    if (publishWill && will != null) {
                        wills.add(will.message());
                    }
                    long expiry = expirySeconds < 0 ? stored.expirySeconds : expirySeconds;
                    if (expiry == 0) {
                        sessions.remove(clientId);
                    }
                    listener.detaching();
                }
                return detachesWaitFor == null ? CompletableFuture.completedFuture(null) : detachesWaitFor.copy();
            }
        }
    }
}
