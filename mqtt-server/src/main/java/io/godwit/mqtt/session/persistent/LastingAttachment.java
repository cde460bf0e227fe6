package io.godwit.mqtt.session.persistent;

import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.ContinueRequest;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.InboxFailure;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.ReplayOutcome;
import io.godwit.inbox.client.ReplayStep;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.mqtt.session.core.SessionConfig;
import io.godwit.mqtt.session.core.SessionServices;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.transport.connection.OnEventLoop;
import io.godwit.mqtt.transport.loop.LoopTask;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection's attachment to its session that outlasts the leader of its inbox. When the leader is replaced normally
 * (docs/adr/0020), the attachment continues at the next leader, and its users notice only a pause. The same happens
 * when the leader's node is lost (docs/adr/0056). The outcome of unanswered calls is then unknown: calls that may be
 * carried out twice are repeated, others fail.
 *
 * <p>The steps, in order: The leader fails calls it has not begun with {@code MOVED} ({@link #notTaken}), and ends the
 * attachment ({@link #moved}). {@link #goOn} requests the next attachment and reports the messages that the client was
 * sent and has not answered. Calls made meanwhile wait. When the next attachment is there ({@link #wentOn}), all
 * unanswered calls are repeated in their first order, and the remaining credit is granted again. Acknowledgements under
 * way are not repeated: the report of unanswered messages already leaves out the acknowledged ones.
 *
 * <p>It gives up when it is refused, or after the time in {@link SessionConfig.Homes}: then the attachment ends as if
 * the leader had been lost.
 *
 * <p>Confined to the connection's loop. Futures complete on the threads of the present attachment.
 */
public final class LastingAttachment implements InboxAttachment {
    private static final Logger LOG = LoggerFactory.getLogger(LastingAttachment.class);
    private static final int PURGE_FROM = 32;

    private final Connection connection;
    private final SessionServices services;
    private final ClientInfo client;
    private final InboxMail mail;

    /** Set once, before anyone else has this object. */
    private long incarnation;

    private long attachNumber;

    /** The attachment whose end it waits for, because its leader takes no calls any more; null when there is none. */
    private @Nullable InboxAttachment ending;
    /** Whether a leader has decided the detach. The attachment has no end to report then. */
    private boolean isDetachDecided;

    private Listener listener = new Listener();
    /** Null between the end at one leader and the beginning at the next. */
    private @Nullable InboxAttachment current;
    /** Detached, or ended by the store: it does not continue. */
    private boolean isOver;
    /** The {@link io.godwit.mqtt.transport.loop.LoopContext#tick} when the last leader ended it. */
    private int movedAtTick;
    /** The reason for the move, which also decides how long it waits for the next leader. */
    private InboxListener.Reason movedBy = InboxListener.Reason.MOVED;

    /** In the order of the calls; may include answered ones. */
    private final ArrayDeque<Call<?>> calls = new ArrayDeque<>(0);

    private int purgeAt = PURGE_FROM;

    private boolean hasRequested;
    private long credit;
    /** The highest sequence delivered before {@link #detach}. */
    private long sentUpTo;
    /** The unanswered sequences at {@link #detach}; null before. */
    private long @Nullable [] unansweredAtEnd;

    private LastingAttachment(Connection connection, SessionServices services, ClientInfo client, InboxMail mail) {
        this.connection = connection;
        this.services = services;
        this.client = client;
        this.mail = mail;
    }

    /**
     * See {@link io.godwit.inbox.client.InboxClient#attach}. The reply holds a lasting attachment, whose events go to
     * {@code mail}. On the loop.
     */
    public static CompletableFuture<AttachReply> attach(
            Connection connection, SessionServices services, AttachRequest request, InboxMail mail) {
        LastingAttachment lasting = new LastingAttachment(connection, services, request.client(), mail);
        return services.inbox.attach(request, lasting.listener).thenApply(lasting::begin);
    }

    private AttachReply begin(AttachReply reply) {
        incarnation = reply.incarnation();
        attachNumber = reply.attachNumber();
        current = reply.attachment();
        return new AttachReply(
                reply.sessionPresent(),
                reply.incarnation(),
                reply.attachNumber(),
                reply.subscriptions(),
                reply.inbound(),
                this);
    }

    // ---- from one leader to the next

    private void moved(InboxListener.Reason reason) {
        if (isOver) {
            return;
        }
        movedBy = reason;
        current = null;
        movedAtTick = connection.loop().tick();
        goOn();
    }

    private void goOn() {
        long[] unanswered = unansweredAtEnd != null ? unansweredAtEnd : mail.unanswered();
        ContinueRequest request = new ContinueRequest(client, incarnation, attachNumber, sentUpTo, unanswered);
        listener = new Listener();
        OnEventLoop.whenCompleteInOrder(
                connection, services.inbox.continueAttachment(request, listener), (next, failure) -> {
                    if (failure != null) {
                        tryAgain(failure);
                    } else if (next.isEmpty()) {
                        lost("the next leader does not have it as attached");
                    } else {
                        wentOn(next.get());
                    }
                });
    }

    private void tryAgain(Throwable failure) {
        InboxFailure kind = InboxFailure.of(failure);
        boolean hasNodeLost = movedBy == InboxListener.Reason.LOST;
        SessionConfig.Homes homes = services.config.homes();
        int patience = hasNodeLost ? homes.lostPatience() : homes.movedPatience();
        if (kind == InboxFailure.STOPPED) {
            lost("this node stops");
        } else if (connection.loop().tick() - movedAtTick >= patience) {
            services.reports.homeNotFound(client, hasNodeLost, Duration.ofSeconds(patience), failure);
            lost("the next leader was not found in time");
        } else if (kind == InboxFailure.MOVED) {
            goOn(); // waits by itself while there is no leader
        } else {
            connection.loop().onNextSweep(this::goOn);
        }
    }

    private void wentOn(InboxAttachment next) {
        services.metrics.sessions().attachmentContinued();
        current = next;
        for (Call<?> call : List.copyOf(calls)) {
            if (!call.isIssued) {
                call.issue(next);
            }
        }
        purge();
        if (hasRequested && unansweredAtEnd == null) {
            next.request((int) credit);
        }
    }

    private void lost(String why) {
        LOG.debug(
                "attachment is lost client={} movedBy={} why={}",
                client.clientId().value(),
                movedBy,
                why);
        services.metrics.sessions().attachmentLost();
        mail.ended(InboxListener.Reason.UNAVAILABLE); // before any call fails
        over();
    }

    private void over() {
        isOver = true;
        List<Call<?>> all = List.copyOf(calls);
        calls.clear();
        for (Call<?> call : all) {
            if (!call.isIssued) {
                call.answer.completeExceptionally(InboxFailure.over());
            }
        }
    }

    // ---- calls

    private <T> CompletableFuture<T> ask(Function<InboxAttachment, CompletableFuture<T>> what) {
        return ask(what, true);
    }

    private <T> CompletableFuture<T> ask(Function<InboxAttachment, CompletableFuture<T>> what, boolean mayRepeat) {
        InboxAttachment present = current;
        if (isOver && present == null) {
            return CompletableFuture.failedFuture(InboxFailure.over());
        }
        Call<T> call = new Call<>(what, mayRepeat);
        purge();
        calls.addLast(call);
        if (present != null) {
            call.issue(present);
        }
        return call.answer;
    }

    /**
     * Makes a call without an answer. It is not repeated, because the report of unanswered messages already covers it.
     */
    private void tell(Consumer<InboxAttachment> what) {
        if (current != null) {
            what.accept(current);
        } else if (!isOver) {
            calls.addLast(new Call<Void>(
                    attachment -> {
                        what.accept(attachment);
                        return CompletableFuture.completedFuture(null);
                    },
                    true));
        }
    }

    private void purge() {
        while (!calls.isEmpty() && calls.element().answer.isDone()) {
            calls.remove();
        }
        if (calls.size() >= purgeAt) {
            calls.removeIf(call -> call.answer.isDone());
            purgeAt = Math.max(PURGE_FROM, 2 * calls.size());
        }
    }

    /** A leader stopped normally before it began the call, or was lost with the call. */
    private void notTaken(Call<?> call, InboxAttachment by) {
        call.isIssued = false;
        InboxAttachment present = current;
        if (isOver) {
            call.answer.completeExceptionally(InboxFailure.over());
        } else if (present != null && !present.equals(by)) {
            call.issue(present);
        } else if (present != null && isDetachDecided) {
            moved(InboxListener.Reason.LOST);
        } else if (present != null && !present.equals(ending)) {
            ending = present;
            awaitEnd(present, connection.loop().tick());
        } // the next attachment issues it
    }

    /**
     * The end of an attachment whose leader takes no calls follows at once. If it has not come in time, the next leader
     * is asked all the same: the calls, and the client id, must not wait for ever.
     */
    private void awaitEnd(InboxAttachment of, int sinceTick) {
        connection.loop().onNextSweep(() -> {
            if (isOver || !of.equals(current)) {
                return;
            }
            if (connection.loop().tick() - sinceTick < services.config.homes().movedPatience()) {
                awaitEnd(of, sinceTick);
            } else {
                moved(InboxListener.Reason.LOST);
            }
        });
    }

    private final class Call<T> {
        /** Null once answered, because it may hold a message. */
        private @Nullable Function<InboxAttachment, CompletableFuture<T>> ask;

        private final CompletableFuture<T> answer = new CompletableFuture<>();
        /** Whether it may be carried out twice. */
        private final boolean mayRepeat;
        /** Whether a leader has the call or has answered it. */
        private boolean isIssued;
        /** Whether a lost leader may have carried it out. */
        private volatile boolean mayBeDone;

        Call(Function<InboxAttachment, CompletableFuture<T>> ask, boolean mayRepeat) {
            this.ask = ask;
            this.mayRepeat = mayRepeat;
        }

        private boolean mustRepeat(InboxFailure failure) {
            return failure == InboxFailure.MOVED || failure == InboxFailure.LOST && mayRepeat;
        }

        void issue(InboxAttachment on) {
            isIssued = true;
            Listener by = listener; // the listener of this attachment
            Objects.requireNonNull(ask, "answered").apply(on).whenComplete((value, failure) -> {
                if (failure != null
                        && mustRepeat(by.isLost ? InboxFailure.ofLost(failure) : InboxFailure.of(failure))) {
                    if (by.isLost || InboxFailure.of(failure) == InboxFailure.LOST) {
                        mayBeDone = true;
                    }
                    connection.loop().execute(() -> notTaken(this, on));
                    return;
                }
                ask = null;
                if (failure == null) {
                    answer.complete(value);
                } else {
                    // "overloaded" would say that nothing was done
                    answer.completeExceptionally(mayBeDone ? InboxFailure.over() : failure);
                }
            });
        }
    }

    @Override
    public void request(int messages) {
        hasRequested = true;
        credit += messages;
        if (current != null) {
            current.request(messages);
        }
    }

    @Override
    public void acknowledge(long[] sequences) {
        tell(attachment -> attachment.acknowledge(sequences));
    }

    @Override
    public CompletableFuture<Void> received(long sequence) {
        return ask(attachment -> attachment.received(sequence));
    }

    @Override
    public void complete(long sequence) {
        tell(attachment -> attachment.complete(sequence));
    }

    @Override
    public CompletableFuture<List<Boolean>> subscribe(List<StoredSubscription> subscriptions) {
        return ask(attachment -> attachment.subscribe(subscriptions));
    }

    @Override
    public CompletableFuture<List<Boolean>> unsubscribe(List<TopicFilter> filters) {
        return ask(attachment -> attachment.unsubscribe(filters));
    }

    @Override
    public CompletableFuture<ReplayOutcome> replay(ReplayStep step) {
        return ask(attachment -> attachment.replay(step), false); // a repeated step would come after the first one
    }

    @Override
    public CompletableFuture<Void> replayed(TopicFilter filter, String to) {
        return ask(attachment -> attachment.replayed(filter, to));
    }

    @Override
    public CompletableFuture<Inbound> receive(int packetId, Message message) {
        return ask(attachment -> attachment.receive(packetId, message));
    }

    @Override
    public CompletableFuture<Void> distributed(int packetId, long tokenNumber) {
        return ask(attachment -> attachment.distributed(packetId, tokenNumber));
    }

    @Override
    public CompletableFuture<Boolean> release(int packetId) {
        return ask(attachment -> attachment.release(packetId));
    }

    @Override
    public CompletableFuture<Void> detach(long expirySeconds, boolean publishWill, long sentBelow) {
        if (unansweredAtEnd == null) {
            unansweredAtEnd = mail.unanswered();
        }
        CompletableFuture<Void> done = ask(attachment -> attachment.detach(expirySeconds, publishWill, sentBelow));
        OnEventLoop.whenCompleteInOrder(connection, done, (nothing, failure) -> over());
        return done;
    }

    /** Events of the attachment at one leader; the end of an earlier one is ignored. */
    private final class Listener implements InboxListener {
        /** Written by the thread that reports the end, read by threads that report failures. */
        private volatile boolean isLost;

        @Override
        public void attaching() {
            connection.loop().post(new LoopTask() {
                @Override
                protected void run() {
                    mail.attaching();
                }
            });
        }

        @Override
        public void detaching() {
            connection.loop().post(new LoopTask() {
                @Override
                protected void run() {
                    isDetachDecided = true;
                    mail.detaching();
                }
            });
        }

        @Override
        public void deliver(List<InboxMessage> messages) {
            connection.loop().post(new LoopTask() {
                @Override
                protected void run() {
                    note(messages);
                    mail.take(messages);
                }
            });
        }

        @Override
        public void detached(Reason reason) {
            isLost = reason == Reason.LOST; // set before calls fail because of it
            connection.loop().post(new LoopTask() {
                @Override
                protected void run() {
                    if (!listener.equals(Listener.this)) {
                        return;
                    }
                    if (reason == Reason.MOVED || reason == Reason.LOST) {
                        moved(reason);
                    } else {
                        mail.ended(reason);
                        over();
                    }
                }
            });
        }
    }

    private void note(List<InboxMessage> messages) {
        if (unansweredAtEnd != null) {
            return; // it is not sent to the client, so it must come again
        }
        for (int i = 0; i < messages.size(); i++) {
            InboxMessage message = messages.get(i);
            sentUpTo = Math.max(sentUpTo, message.sequence());
            if (message.qos() != Qos.AT_MOST_ONCE) {
                credit--;
            }
        }
    }
}
