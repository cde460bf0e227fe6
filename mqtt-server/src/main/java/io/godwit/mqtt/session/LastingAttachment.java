package io.godwit.mqtt.session;

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
import io.godwit.mqtt.transport.Connection;
import io.godwit.mqtt.transport.LoopTask;
import io.godwit.mqtt.transport.OnEventLoop;
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

/**
 * A connection's hold on its session that outlasts the leader of its inbox, where that is replaced in good order
 * (docs/adr/0020): then it goes on at the next leader, and whoever uses it notices no more than a pause.
 * So it does when the node of the leader is lost (docs/adr/0056). What became of calls without an answer is not known
 * then: those that may be carried out twice are called again, the others fail.
 *
 * <p>What happens, in order. The leader fails what it has not begun with {@code MOVED}, which {@link #notTaken} learns
 * of, and ends the attachment ({@link #moved}). {@link #goOn} asks for the next one, telling what the client was sent
 * and has not answered. What is called meanwhile waits. When the next one is there ({@link #wentOn}) all that has no
 * answer is called again, in the order of the first calls, and the credit that was left is given anew. Acknowledgements
 * that were on their way are not repeated: what they acknowledged is not among what is told as unanswered.
 *
 * <p>It gives up when it is refused, or after the time that {@link SessionConfig.Homes} says: that is the end of the
 * attachment, as if the leader had been lost.
 *
 * <p>Confined to the connection's loop. Futures complete where those of the present attachment do.
 */
public final class LastingAttachment implements InboxAttachment {
    private static final int PURGE_FROM = 32;

    private final Connection connection;
    private final SessionServices services;
    private final ClientInfo client;
    private final InboxMail mail;

    /** Set once, before anybody has this object. */
    private long incarnation;

    private long attachNumber;

    private Listener listener = new Listener();
    /** Null from the end at one leader to the beginning at the next. */
    private @Nullable InboxAttachment current;
    /** Detached, or ended by the store: it is not gone on with. */
    private boolean isOver;
    /** The {@link io.godwit.mqtt.transport.LoopContext#tick} of the end at the last leader. */
    private int movedAtTick;
    /** Why; together with when it gives up. */
    private InboxListener.Reason movedBy = InboxListener.Reason.MOVED;

    /** In the order of the calls; some of those in here are answered. */
    private final ArrayDeque<Call<?>> calls = new ArrayDeque<>(0);

    private int purgeAt = PURGE_FROM;

    private boolean hasRequested;
    private long credit;
    /** The highest sequence that was delivered before {@link #detach}. */
    private long sentUpTo;
    /** As {@link #detach} found it; null before. */
    private long @Nullable [] unansweredAtEnd;

    private LastingAttachment(Connection connection, SessionServices services, ClientInfo client, InboxMail mail) {
        this.connection = connection;
        this.services = services;
        this.client = client;
        this.mail = mail;
    }

    /**
     * See {@link io.godwit.inbox.client.InboxClient#attach}. The reply holds a lasting attachment; {@code mail} is told
     * what it is told. On the loop.
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
                        lost();
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
            lost();
        } else if (connection.loop().tick() - movedAtTick >= patience) {
            services.reports.homeNotFound(client, hasNodeLost, Duration.ofSeconds(patience), failure);
            lost();
        } else if (kind == InboxFailure.MOVED) {
            goOn(); // it waits where there is no leader
        } else {
            connection.loop().onNextSweep(this::goOn);
        }
    }

    private void wentOn(InboxAttachment next) {
        services.metrics.attachmentContinued();
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

    private void lost() {
        services.metrics.attachmentLost();
        mail.ended(InboxListener.Reason.UNAVAILABLE); // before any call tells by its failure
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

    /** What has no answer; not called again, for what it says is told otherwise. */
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

    /** A leader was stopped in good order before it began with the call, or was lost with it. */
    private void notTaken(Call<?> call, InboxAttachment by) {
        call.isIssued = false;
        InboxAttachment present = current;
        if (isOver) {
            call.answer.completeExceptionally(InboxFailure.over());
        } else if (present != null && !present.equals(by)) {
            call.issue(present);
        } // else with the next one
    }

    private final class Call<T> {
        /** Null once answered: it may hold a message. */
        private @Nullable Function<InboxAttachment, CompletableFuture<T>> ask;

        private final CompletableFuture<T> answer = new CompletableFuture<>();
        /** Whether it may be carried out twice. */
        private final boolean mayRepeat;
        /** A leader has it, or has answered it. */
        private boolean isIssued;

        Call(Function<InboxAttachment, CompletableFuture<T>> ask, boolean mayRepeat) {
            this.ask = ask;
            this.mayRepeat = mayRepeat;
        }

        private boolean mustRepeat(InboxFailure failure) {
            return failure == InboxFailure.MOVED || failure == InboxFailure.LOST && mayRepeat;
        }

        void issue(InboxAttachment on) {
            isIssued = true;
            Listener by = listener; // of this attachment
            Objects.requireNonNull(ask, "answered").apply(on).whenComplete((value, failure) -> {
                if (failure != null
                        && mustRepeat(by.isLost ? InboxFailure.ofLost(failure) : InboxFailure.of(failure))) {
                    connection.loop().execute(() -> notTaken(this, on));
                    return;
                }
                ask = null;
                if (failure == null) {
                    answer.complete(value);
                } else {
                    answer.completeExceptionally(failure);
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
        return ask(attachment -> attachment.replay(step), false); // a second one would come behind the first
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

    /** The end of the attachment at one leader; what comes from an earlier one is over. */
    private final class Listener implements InboxListener {
        /** Written by whoever tells of the end, read by whoever tells of a failure. */
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
            isLost = reason == Reason.LOST; // before calls fail for it
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
            return; // the client is not sent it, so it has to come again
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
