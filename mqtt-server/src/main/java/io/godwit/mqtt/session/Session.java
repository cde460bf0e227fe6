package io.godwit.mqtt.session;

import io.godwit.dist.client.FilterSize;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.mqtt.client.ConnectedClient;
import io.godwit.mqtt.client.ListedClient;
import io.godwit.mqtt.packet.Auth;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.PingReq;
import io.godwit.mqtt.packet.PingResp;
import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.PubComp;
import io.godwit.mqtt.packet.PubRec;
import io.godwit.mqtt.packet.PubRel;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.Unsubscribe;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.session.core.ExclusiveLeases;
import io.godwit.mqtt.session.core.SessionCore;
import io.godwit.mqtt.session.core.SessionServices;
import io.godwit.mqtt.session.core.SessionTerms;
import io.godwit.mqtt.session.filter.ExclusiveFilters;
import io.godwit.mqtt.session.filter.FilterPatterns;
import io.godwit.mqtt.session.filter.SessionFilters;
import io.godwit.mqtt.session.inbound.PublishIntake;
import io.godwit.mqtt.session.outbound.DeliveringSession;
import io.godwit.mqtt.subscribe.SubscribingSession;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.transport.connection.OnEventLoop;
import io.godwit.mqtt.transport.connection.PacketHandler;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Drives one session from CONNACK to close. Confined to the connection's event loop: fields are plain.
 *
 * <p>It passes packets to the part that handles them, and knows how far its end has come. Its other parts:
 *
 * <ul>
 *   <li>{@link SessionCore}: the client, its connection and its terms, for all parts
 *   <li>{@link DeliveringSession}: sends to the client what {@code QueueingSession} takes from memory and
 *       {@code PersistentSession} from the inbox store
 *   <li>{@link PublishIntake}: accepts publishes, in the same way for all sessions
 *   <li>{@link SessionFilters}: the filters, and the requests that change them
 *   <li>{@link OperatorRequests}, {@link Reauthentication}
 * </ul>
 */
public abstract class Session extends DeliveringSession implements PacketHandler, SubscribingSession, ListedClient {
    private static final String BY_OPERATOR = "an operator ended the connection";

    private final End end;

    /** Time of {@link #enlist}, milliseconds since the epoch; 0 before. */
    private long enlistedAtMillis;

    // null until the first use: an idle session has none of them
    private @Nullable PublishIntake intake;
    private @Nullable SessionFilters filters;
    private @Nullable ExclusiveFilters exclusive;
    private @Nullable OperatorRequests operatorRequests;
    private @Nullable Reauthentication reauthentication;

    private boolean isClosed;
    private boolean isReleased;
    private boolean isLeaving;
    private boolean hasLeft;
    private boolean isEnded;
    private boolean isDraining;
    private boolean owesWill = true;
    private long disconnectExpirySeconds = -1;

    /** Told about the progress of a session's end; on the loop. */
    @FunctionalInterface
    public interface End {
        /**
         * The stores have decided every request of this session, and it makes no more. The client id is free: requests
         * of the client's next connection come after these. The decisions may not be committed yet. Called later or not
         * at all if this is not known.
         */
        default void left() {}

        /** Nothing of this session can take effect any more. */
        void ended();
    }

    protected Session(Connection connection, SessionServices services, SessionTerms terms, End end) {
        super(connection, services, terms);
        this.end = end;
    }

    // ---- its filters

    private SessionFilters filters() {
        SessionFilters present = filters;
        if (present == null) {
            present = new SessionFilters(this);
            filters = present;
        }
        return present;
    }

    @Override
    public final boolean has(TopicFilter filter) {
        return filters != null && filters.contains(filter);
    }

    @Override
    public final int filterCount() {
        return filters == null ? 0 : filters.size();
    }

    @Override
    public final int filterCharsWith(TopicFilter filter) {
        return (filters == null ? 0 : filters.chars()) + FilterSize.chars(filter);
    }

    @Override
    public final boolean hasRoomFor(TopicFilter filter) {
        return filterBytes() + FilterSize.heapBytes(filter) <= services.filterBytes.free();
    }

    /** About the heap that its filters take. On its loop. */
    public final long filterBytes() {
        return filters == null ? 0 : filters.heapBytes();
    }

    @Override
    public final int patternsWith(TopicFilter filter) {
        return filters == null ? FilterPatterns.weightOf(filter) : filters.patternsWith(filter);
    }

    @Override
    public final void noteAdded(TopicFilter filter) {
        filters().noteAdded(filter);
    }

    @Override
    public final void noteRemoved(TopicFilter filter) {
        if (filters != null) {
            filters.noteRemoved(filter);
        }
        if (exclusive != null) {
            exclusive.removed(filter);
        }
    }

    @Override
    public final boolean mayExist(TopicFilter filter) {
        return filters != null && filters.mayExist(filter);
    }

    @Override
    public final void stepBegun(TopicFilter filter) {
        filters().stepBegun(filter);
    }

    @Override
    public final boolean stepOver(TopicFilter filter) {
        return filters != null && filters.stepOver(filter);
    }

    @Override
    public final void asked(int filtersAsked) {
        filters().asked(filtersAsked);
    }

    @Override
    public final void answered(int filtersAnswered) {
        filters().answered(filtersAnswered);
    }

    @Override
    public final <T> void inOrder(CompletableFuture<T> checked, Consumer<T> action) {
        filters().inOrder(checked, action);
    }

    @Override
    public final CompletableFuture<Boolean> claimExclusive(TopicFilter filter) {
        ExclusiveLeases leases = services.exclusive;
        if (leases == null) {
            return services.dist.claimExclusive(client().tenant(), filter, client().clientId());
        }
        if (exclusive == null) {
            exclusive = new ExclusiveFilters(this, leases, this::has);
        }
        return exclusive.claim(filter);
    }

    @Override
    public final void releaseExclusive(TopicFilter filter) {
        services.dist.releaseExclusive(client().tenant(), filter, client().clientId());
        if (exclusive != null) {
            exclusive.subscribed(filter);
        }
    }

    // ---- for operators

    /** Makes the session visible to others until it is closed. */
    public final void enlist() {
        enlistedAtMillis = services.nowMillis();
        services.clients().of(connection.loop()).add(this);
    }

    @Override
    public final ConnectedClient describe() {
        return new ConnectedClient(
                client(),
                connection.listener(),
                terms.cleanStart(),
                terms.expirySeconds(),
                connection.keepAliveSeconds(),
                enlistedAtMillis,
                intake == null ? 0 : intake.underWay(),
                outboundUnderWay(),
                queued(),
                filterCount());
    }

    @Override
    public final void end(ReasonCode code) {
        if (terms.isV5()) {
            connection.disconnect(code, DisconnectCause.OPERATOR, BY_OPERATOR);
        } else {
            connection.close(DisconnectCause.OPERATOR, BY_OPERATOR); // before 5.0 only clients send DISCONNECT
        }
    }

    @Override
    public final CompletableFuture<List<ReasonCode>> subscribeOnBehalf(
            List<Subscription> subscriptions, int subscriptionId) {
        return onBehalf(codes ->
                services.subscribeHandler.onBehalf(this, subscriptions, terms.isV5() ? subscriptionId : 0, codes));
    }

    @Override
    public final CompletableFuture<List<ReasonCode>> unsubscribeOnBehalf(List<TopicFilter> filters) {
        return onBehalf(codes -> services.subscribeHandler.unsubscribeOnBehalf(this, filters, codes));
    }

    /** Makes a request whose answer fails if the connection ends first. */
    private CompletableFuture<List<ReasonCode>> onBehalf(Consumer<Consumer<List<ReasonCode>>> asking) {
        if (!connection.isOpen()) {
            return CompletableFuture.failedFuture(new CancellationException("the connection has ended"));
        }
        if (operatorRequests == null) {
            operatorRequests = new OperatorRequests();
        }
        return operatorRequests.ask(asking);
    }

    /** Number of messages that wait here until the client takes more. */
    protected abstract int queued();

    /** CONNACK has been sent: deliveries may begin. */
    public abstract void start();

    /**
     * Subscribes the client to the filters that the operator configured for it.
     *
     * @param present subscriptions of the resumed session, which are not written again
     */
    public final void subscribeUnasked(List<Subscription> subscriptions, List<StoredSubscription> present) {
        if (subscriptions.isEmpty()) {
            return;
        }
        List<Subscription> missing = terms.topics().subscribed(subscriptions).stream()
                .filter(s -> present.stream().noneMatch(old -> old.filter().equals(s.filter()) && old.qos() == s.qos()))
                .toList();
        if (!missing.isEmpty()) {
            services.subscribeHandler.subscribeUnasked(this, missing);
        }
    }

    @Override
    public final void onPacket(Packet packet) {
        if (packet instanceof Publish publish) { // most frequent packets first
            intake().onPublish(publish);
        } else if (packet instanceof PubAck ack) {
            onPubAck(ack);
        } else if (packet instanceof PubRec rec) {
            onPubRec(rec);
        } else if (packet instanceof PubRel rel) {
            intake().onPubRel(rel);
        } else if (packet instanceof PubComp comp) {
            onPubComp(comp);
        } else if (packet instanceof PingReq) {
            connection.send(new PingResp());
        } else if (packet instanceof Subscribe subscribe) {
            services.subscribeHandler.onSubscribe(this, subscribe);
        } else if (packet instanceof Unsubscribe unsubscribe) {
            services.subscribeHandler.onUnsubscribe(this, unsubscribe);
        } else if (packet instanceof Disconnect disconnect) {
            onDisconnect(disconnect);
        } else if (packet instanceof Auth auth) {
            onAuth(auth);
        } else { // a second CONNECT [MQTT5-3.1.0-2], or a packet that only a server sends
            throw new ProtocolException(
                    ReasonCode.PROTOCOL_ERROR, "unexpected " + packet.getClass().getSimpleName());
        }
    }

    /** All publishes of a read are handled. */
    protected final void intakeRead() {
        if (intake != null) {
            intake.onReadComplete();
        }
    }

    private PublishIntake intake() {
        PublishIntake present = intake;
        if (present == null) {
            present = new PublishIntake(this, attachment(), receivedBefore());
            intake = present;
        }
        return present;
    }

    private void onAuth(Auth auth) {
        if (reauthentication == null) {
            reauthentication = new Reauthentication(this);
        }
        reauthentication.onAuth(auth);
    }

    /** The store of QoS 2 packet ids; null to keep them in memory. */
    protected abstract @Nullable InboxAttachment attachment();

    /** QoS 2 packet ids that a resumed session had received and not released. */
    protected abstract int[] receivedBefore();

    protected abstract void onPubAck(PubAck ack);

    protected abstract void onPubRec(PubRec rec);

    protected abstract void onPubComp(PubComp comp);

    private void onDisconnect(Disconnect disconnect) {
        long expiry = disconnect.sessionExpirySeconds();
        boolean hadNone = terms.expirySeconds() == 0 && !agreed.is(TenantSetting.FORCE_TRANSIENT);
        if (expiry > 0 && hadNone) { // [MQTT5-3.14.2.2.2]
            throw new ProtocolException(
                    ReasonCode.PROTOCOL_ERROR, "DISCONNECT asks for a session expiry, CONNECT had none");
        }
        if (expiry >= 0) {
            disconnectExpirySeconds = agreed.expirySeconds(expiry);
        }
        owesWill = disconnect.reasonCode() != ReasonCode.SUCCESS; // [MQTT5-3.14.4-3]
        connection.closeAsAgreed("client disconnected");
    }

    /** Another connection takes the session over [MQTT5-3.1.4-3] and waits for {@link End}. On the loop. */
    public final void takenOver() {
        connection.disconnect(
                ReasonCode.SESSION_TAKEN_OVER, DisconnectCause.TAKEN_OVER, "another connection uses this client id");
    }

    @Override
    public final void onShutdown() {
        isDraining = true;
        connection.pauseReading(Connection.Pause.DRAINING);
        closeIfDrained();
    }

    private void closeIfDrained() {
        if (intake == null || intake.isQuiet()) {
            connection.sendAway();
        }
    }

    @Override
    public final void onClosed(DisconnectCause cause, String reason) {
        isClosed = true;
        services.clients().of(connection.loop()).remove(this);
        if (operatorRequests != null) {
            operatorRequests.close();
        }
        if (reauthentication != null) {
            reauthentication.close();
        }
        endSlow();
        services.reports.disconnected(client(), cause, reason);
        if (intake != null) {
            intake.close();
        }
        release(disconnectExpirySeconds, owesWill);
        closeInflight();
        endIfQuiet();
    }

    /**
     * Gives up everything the session holds elsewhere; then calls {@link #released}.
     *
     * @param disconnectExpirySeconds of the DISCONNECT; -1 for none
     */
    protected abstract void release(long disconnectExpirySeconds, boolean publishWill);

    /** The stores have decided the requests that give up the session. */
    protected final void leaving() {
        isLeaving = true;
        endIfQuiet();
    }

    final void released() {
        isReleased = true;
        endIfQuiet();
    }

    @Override
    public final void intakeQuiet() {
        if (isDraining && !isClosed) {
            closeIfDrained();
        }
        endIfQuiet();
    }

    private void endIfQuiet() {
        if (!isClosed || intake != null && !intake.isQuiet()) {
            return;
        }
        if (isLeaving && !hasLeft) {
            hasLeft = true;
            end.left();
        }
        if (isReleased && !isEnded) {
            if (filters != null) {
                filters.giveBackBytes();
            }
            isEnded = true;
            if (filters != null) {
                filters.giveBackRoom();
            }
            if (exclusive != null) {
                exclusive.close();
            }
            end.ended();
        }
    }

    @Override
    public final boolean isClosed() {
        return isClosed;
    }

    @Override
    public final boolean isEnded() {
        return isEnded;
    }

    /** Calls {@link #released} when {@code step} is over, successful or not. */
    protected final void releaseAfter(CompletableFuture<?> step) {
        OnEventLoop.whenComplete(connection, step, (done, failure) -> released());
    }
}
