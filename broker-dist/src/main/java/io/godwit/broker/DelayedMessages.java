package io.godwit.broker;

import io.godwit.dist.client.Delayer;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxClient;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.Will;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.topic.DelayedTopic;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps messages of {@code $delayed/{seconds}/{topic}} in the inbox store, each as the will of a session of its own that nobody is connected to: it is published
 * when its delay is over, once, whatever happens to the node meanwhile.
 *
 * <p>The session's client id begins with a character that no client's may have, and ends with the publisher's, for whom it is published. A
 * repeat under the same delivery token finds the session of the first and begins its delay anew. Thread-safe.
 */
final class DelayedMessages implements Delayer {
    private static final String PREFIX = "\0delayed/";

    private final Supplier<InboxClient> inbox;
    private final int maxMessages;
    /** Of this process: a client id of an earlier one is not used again. */
    private final String run;

    private final AtomicLong lastNumber = new AtomicLong();
    private final LongSupplier stored;
    /** On their way into the store. Atomic: event loops add, range executors subtract. */
    private final AtomicInteger underWay = new AtomicInteger();

    /**
     * @param stored how many the store has, by {@link #isKeeper}
     * @param maxMessages kept at once; more are refused
     * @param startMillis the wall clock at the start of the process
     */
    DelayedMessages(Supplier<InboxClient> inbox, LongSupplier stored, int maxMessages, long startMillis) {
        this.inbox = inbox;
        this.stored = stored;
        this.maxMessages = maxMessages;
        this.run = Long.toString(startMillis, Character.MAX_RADIX);
    }

    @Override
    public @Nullable CompletableFuture<DistOutcome> take(
            ClientInfo publisher, Message message, @Nullable DeliveryToken token) {
        Optional<DelayedTopic> delayed = DelayedTopic.parse(message.topic());
        return delayed.map(topic -> keep(publisher, message, topic, token)).orElse(null);
    }

    private CompletableFuture<DistOutcome> keep(
            ClientInfo publisher, Message message, DelayedTopic delayed, @Nullable DeliveryToken token) {
        if (stored.getAsLong() + underWay.get() >= maxMessages) {
            return CompletableFuture.completedFuture(DistOutcome.OVERLOADED);
        }
        underWay.incrementAndGet();
        Message later = new Message(
                delayed.topic(),
                message.payload(),
                message.qos(),
                message.retain(),
                message.receivedAtMillis(),
                message.properties());
        AttachRequest request = new AttachRequest(
                keeper(publisher, token),
                false,
                delayed.seconds(),
                new Will(later, delayed.seconds()),
                token != null); // it is on record at its publisher, or in the record of a will
        return write(request).handle((done, failure) -> {
            underWay.decrementAndGet();
            return failure == null ? DistOutcome.DELIVERED : DistOutcome.ofFailure(causeOf(failure));
        });
    }

    /** Once more where the leader is replaced in between: then the session is the one of the first time. */
    private CompletableFuture<Void> write(AttachRequest request) {
        return inbox.get()
                .attach(request, Nobody.INSTANCE)
                .thenCompose(reply -> reply.attachment().detach(-1, true))
                .exceptionallyCompose(failure ->
                        causeOf(failure) instanceof RangeException e && e.reason() == RangeException.Cause.MOVED
                                ? write(request)
                                : CompletableFuture.failedFuture(failure));
    }

    private static Throwable causeOf(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    private ClientInfo keeper(ClientInfo publisher, @Nullable DeliveryToken token) {
        String number = token == null
                ? run + '.' + lastNumber.incrementAndGet()
                : Long.toString(token.number())
                        + '.'
                        + Integer.toHexString(token.origin().hashCode());
        ClientId id = new ClientId(PREFIX + number + '/' + publisher.clientId().value());
        return new ClientInfo(
                publisher.tenant(), id, publisher.userName(), publisher.remoteAddress(), publisher.protocolLevel());
    }

    /** For whom a will is published: the client that published the message, when it is one that was kept here. */
    ClientInfo publisherOf(ClientInfo client) {
        String id = client.clientId().value();
        if (!isKeeper(client.clientId())) {
            return client;
        }
        ClientId publisher = new ClientId(id.substring(id.indexOf('/', PREFIX.length()) + 1));
        return new ClientInfo(
                client.tenant(), publisher, client.userName(), client.remoteAddress(), client.protocolLevel());
    }

    /** Whether a session of that client id keeps a message here. */
    static boolean isKeeper(ClientId id) {
        return id.value().startsWith(PREFIX);
    }

    /** The end of an attachment that asks for no messages. */
    private enum Nobody implements InboxListener {
        INSTANCE;

        @Override
        public void deliver(List<InboxMessage> messages) {
            throw new IllegalStateException("none was requested");
        }

        @Override
        public void detached(Reason reason) {
            // the detachment that follows fails
        }
    }
}
