package io.godwit.broker.store;

import io.godwit.common.failure.Failures;
import io.godwit.dist.client.Delayer;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxClient;
import io.godwit.inbox.client.OriginDigest;
import io.godwit.inbox.client.SessionOwner;
import io.godwit.inbox.client.Will;
import io.godwit.inbox.client.catalog.SessionCatalog;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.topic.DelayedTopic;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Stores messages to {@code $delayed/{seconds}/{topic}} in the inbox store, each as the will of its own session without
 * a connection. The store publishes it once, when its delay is over, even if this node fails meanwhile.
 *
 * <p>This session is called the keeper of the message. Its client id begins with a character that no client may use,
 * and ends with the client id of the publisher, on whose behalf the message is published:
 *
 * <pre>
 * without a token   \0delayed/{process}.{number}/{publisher}
 * with one          \0delayed/token.{token number}.{SHA-256 of the token origin}/{publisher}
 * </pre>
 *
 * <p>A message with a delivery token may be published again until its publisher's session records that it was
 * distributed. While the keeper exists, a repeat finds it and changes nothing. Before the keeper is published, that
 * record is written ({@link #beforePublish}), so no repeat begins later; a keeper with a token stays
 * {@link #REMEMBER_SECONDS} longer for a repeat that is already under way. Thread-safe.
 */
public final class DelayedMessages implements Delayer {
    /** How long a keeper with a token stays after its message was published: longer than any request takes. */
    static final long REMEMBER_SECONDS = 60;

    private static final String PREFIX = "\0delayed/";
    private static final String TOKEN_PREFIX = PREFIX + "token.";
    /** The client id of a keeper, as {@link #keeper} makes it. The publisher's part may contain any characters. */
    private static final Pattern NAME = Pattern.compile(
            PREFIX + "(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\\.[0-9]{1,19}"
                    + "|token\\.(-?[0-9]{1,19})\\.([0-9a-f]{64}))/(.++)",
            Pattern.DOTALL);
    /** Any value will do: the session is looked up by its client id. */
    private static final int PROTOCOL_LEVEL = 5;

    private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

    private final Supplier<InboxClient> inbox;
    private final DelayedRoom room;
    /**
     * Names this process. Its start time would not do: nodes may start in the same millisecond and clocks may step
     * back. A message would then find the keeper of another message, and be acknowledged without being stored.
     */
    private final String run;

    private final AtomicLong lastNumber = new AtomicLong();

    /** @param room bounds the messages; more are refused */
    public DelayedMessages(Supplier<InboxClient> inbox, DelayedRoom room) {
        this.inbox = inbox;
        this.room = room;
        this.run = UUID.randomUUID().toString();
    }

    @Override
    public @Nullable CompletableFuture<DistOutcome> take(
            ClientInfo publisher, Message message, @Nullable DeliveryToken token) {
        Optional<DelayedTopic> delayed = DelayedTopic.parse(message.topic());
        return delayed.map(topic -> take(publisher, message, topic, token)).orElse(null);
    }

    private CompletableFuture<DistOutcome> take(
            ClientInfo publisher, Message message, DelayedTopic delayed, @Nullable DeliveryToken token) {
        Message later = new Message(
                delayed.topic(),
                message.payload(),
                message.qos(),
                message.retain(),
                message.receivedAtMillis(),
                message.properties());
        ClientInfo keeper = keeper(publisher, token);
        Will will = new Will(later, delayed.seconds());
        if (room.tryEnter(publisher.tenant())) {
            return keep(keeper, will, token != null);
        }
        return token == null
                ? CompletableFuture.completedFuture(refused(publisher))
                : keepRepeated(publisher, keeper, will);
    }

    private DistOutcome refused(ClientInfo publisher) {
        room.refused(publisher);
        return DistOutcome.OVERLOADED;
    }

    /** The bound is reached: only a repeat, whose keeper exists already, is accepted. */
    private CompletableFuture<DistOutcome> keepRepeated(ClientInfo publisher, ClientInfo keeper, Will will) {
        return inbox.get()
                .owner(keeper)
                .thenCompose(owner -> {
                    if (owner == SessionOwner.NO_SESSION) {
                        return CompletableFuture.completedFuture(refused(publisher));
                    }
                    room.enter(publisher.tenant());
                    return keep(keeper, will, true);
                })
                .exceptionally(failure -> DistOutcome.ofFailure(Failures.cause(failure)));
    }

    /** Stores the message, which has entered {@link #room}. */
    private CompletableFuture<DistOutcome> keep(ClientInfo keeper, Will will, boolean isRecorded) {
        return write(keeper, will, isRecorded).handle((done, failure) -> {
            room.leave(keeper.tenant());
            return failure == null ? DistOutcome.DELIVERED : DistOutcome.ofFailure(Failures.cause(failure));
        });
    }

    /** Tries again when the leader changes meanwhile; the first attempt may have stored the keeper already. */
    private CompletableFuture<Void> write(ClientInfo keeper, Will will, boolean isRecorded) {
        long expirySeconds = Math.min(AttachRequest.NEVER, will.delaySeconds() + (isRecorded ? REMEMBER_SECONDS : 0));
        return inbox.get()
                .keepWill(keeper, expirySeconds, will, isRecorded)
                .exceptionallyCompose(failure ->
                        Failures.cause(failure) instanceof RangeException e && e.reason() == RangeException.Cause.MOVED
                                ? write(keeper, will, isRecorded)
                                : CompletableFuture.failedFuture(failure));
    }

    private ClientInfo keeper(ClientInfo publisher, @Nullable DeliveryToken token) {
        String name = token == null
                ? PREFIX + run + '.' + lastNumber.incrementAndGet()
                : TOKEN_PREFIX + token.number() + '.' + OriginDigest.of(token.origin());
        return withClientId(
                publisher, new ClientId(name + '/' + publisher.clientId().value()));
    }

    /**
     * Must complete before the will of {@code client} is published. For a keeper with a token it records at the
     * publisher's session that the message was distributed, so that a repeat under this token is not stored again.
     */
    CompletableFuture<Void> beforePublish(ClientInfo client) {
        return beforePublish(client.tenant(), client.clientId());
    }

    /** As above, for the keeper of that client id. */
    CompletableFuture<Void> beforePublish(TenantId tenant, ClientId keeper) {
        Matcher name = NAME.matcher(keeper.value());
        if (!name.matches() || name.group(1) == null) {
            return DONE;
        }
        long number = Long.parseLong(name.group(1));
        return inbox.get().distributed(tenant, new ClientId(name.group(3)), number, name.group(2));
    }

    /**
     * Whether {@code id} has the form of a keeper's client id. Callers get it from outside: no such session need exist.
     */
    static boolean mayBeKeeper(ClientId id) {
        Matcher name = NAME.matcher(id.value());
        return name.matches() && (name.group(1) == null || isNumber(name.group(1)));
    }

    private static boolean isNumber(String digits) {
        try {
            return Long.toString(Long.parseLong(digits)).equals(digits);
        } catch (NumberFormatException e) {
            return false; // out of range for the number of a token
        }
    }

    /** Whether a session of that client id exists, which stores a message or did so lately. */
    CompletableFuture<Boolean> isThere(TenantId tenant, ClientId keeper) {
        return inbox.get()
                .owner(new ClientInfo(tenant, keeper, null, "", PROTOCOL_LEVEL))
                .thenApply(owner -> owner != SessionOwner.NO_SESSION);
    }

    /** The client on whose behalf a will is published: the publisher for a keeper, otherwise {@code client} itself. */
    ClientInfo publisherOf(ClientInfo client) {
        String id = client.clientId().value();
        return isKeeper(client.clientId())
                ? withClientId(client, new ClientId(id.substring(id.indexOf('/', PREFIX.length()) + 1)))
                : client;
    }

    private static ClientInfo withClientId(ClientInfo client, ClientId id) {
        return new ClientInfo(client.tenant(), id, client.userName(), client.remoteAddress(), client.protocolLevel());
    }

    /** Selects the keepers of a tenant. */
    static SessionCatalog.Criteria kept(TenantId tenant) {
        return SessionCatalog.Criteria.kept(tenant, PREFIX);
    }

    /** Whether a session of that client id is a keeper. */
    public static boolean isKeeper(ClientId id) {
        return id.value().startsWith(PREFIX);
    }
}
