package io.godwit.mqtt.session;

import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.FilterSize;
import io.godwit.dist.client.Publisher;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.mqtt.auth.Authentication;
import io.godwit.mqtt.auth.InOrder;
import io.godwit.mqtt.client.AckPace;
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
import io.godwit.mqtt.packet.ReasonCode;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.Subscription;
import io.godwit.mqtt.packet.Unsubscribe;
import io.godwit.mqtt.quota.TenantAccount;
import io.godwit.mqtt.subscribe.RetainedReplay;
import io.godwit.mqtt.subscribe.Subscriber;
import io.godwit.mqtt.tenant.TenantPolicy;
import io.godwit.mqtt.topic.ClientTopics;
import io.godwit.mqtt.trace.Tracer;
import io.godwit.mqtt.transport.Connection;
import io.godwit.mqtt.transport.FilterRoom;
import io.godwit.mqtt.transport.OnEventLoop;
import io.godwit.mqtt.transport.PacketHandler;
import io.godwit.plugin.auth.AuthExchange;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.ExchangeRequest;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Drives one session from CONNACK to close. Confined to the connection's event loop: fields are plain.
 *
 * <p>Taking publishes in is the same for all sessions and stands in {@link PublishIntake}. What goes out comes from
 * memory ({@link TransientSession}) or from the inbox store ({@link PersistentSession}).
 */
public abstract class Session implements PacketHandler, Subscriber, ListedClient {
    /** A socket is full for a moment in any burst; one that stays so belongs to a slow client. */
    private static final int STUCK_SECONDS = 3;

    private static final String BY_OPERATOR = "an operator ended the connection";
    private static final long[] NO_SEQUENCES = {};

    /** SUBSCRIBEs and UNSUBSCRIBEs. */
    private static final int MAX_REQUESTS_UNANSWERED = 100;
    /** One SUBSCRIBE may have more; then no other is read until it is answered. */
    private static final int MAX_FILTERS_UNANSWERED = 1_000;

    final Connection connection;
    final SessionServices services;
    final SessionTerms terms;
    final Publisher publisher;
    private final End end;
    final TenantAccount account;
    /** What held for its tenant when it began: what CONNACK says goes by that for as long as it is connected. */
    final TenantPolicy agreed;
    /** What holds for its tenant. Replaced when that changes. */
    private TenantPolicy policy;

    /** Of {@link #enlist}, milliseconds since the epoch; 0 before. */
    private long enlistedAtMillis;

    // null until the first use: an idle session has none of them
    private @Nullable Inflight inflight;
    private @Nullable PublishIntake intake;
    private @Nullable OutboundAliases outboundAliases;
    private @Nullable InOrder subscribes;
    private @Nullable FilterCount filters;

    /** What these take of the room of the node. */
    private long filterBytes;

    private @Nullable FilterPatterns patterns;
    /**
     * Of each filter that steps under way add or remove, how many; negative once there was more than one at a time.
     * Null when there is none.
     */
    private @Nullable Map<TopicFilter, Integer> steps;

    /** What operators wait for that have asked for something in the client's stead; null for nothing. */
    private @Nullable List<CompletableFuture<?>> onBehalf;

    private int requestsUnanswered;
    /** What these take of the {@link FilterRoom}. */
    private int filtersUnanswered;
    /** While the client reads too slowly. */
    private @Nullable SlowSpell slow;
    /** Seconds for which the client's socket has taken nothing, up to {@link #STUCK_SECONDS}. */
    private byte stuckSeconds;

    /** While the client authenticates again. */
    private @Nullable Authentication reauthentication;
    /** Of the last authentication. */
    private @Nullable Object grant;

    private boolean isClosed;
    private boolean isReleased;
    private boolean isLeaving;
    private boolean hasLeft;
    private boolean isEnded;
    private boolean isDraining;
    private boolean owesWill = true;
    private long disconnectExpirySeconds = -1;

    /** Who is told how far the end of a session is; on the loop. */
    @FunctionalInterface
    public interface End {
        /**
         * The stores have decided all that this session has asked of them, and it asks for nothing more: whatever the
         * client's next connection asks for comes behind that, so the client id is free. What was decided is not
         * committed yet. Not called, or called later, where that is not known.
         */
        default void left() {}

        /** Nothing of this session can have an effect any more. */
        void ended();
    }

    Session(Connection connection, SessionServices services, SessionTerms terms, End end) {
        this.connection = connection;
        this.services = services;
        this.terms = terms;
        this.grant = terms.grant();
        this.end = end;
        this.publisher = services.dist.publisher(terms.client(), connection.sharedPick(), connection.loop());
        this.agreed = services.policies().of(terms.client().tenant());
        this.policy = agreed;
        this.account =
                services.policies().tenants().accounts().of(terms.client().tenant());
        limitRates();
        connection.shareRates(account);
    }

    @Override
    public final @Nullable Object grant() {
        return grant;
    }

    @Override
    public final ClientTopics topics() {
        return terms.topics();
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
        return filterBytes + FilterSize.heapBytes(filter) <= services.filterBytes.free();
    }

    /** What its filters take on the heap, about. On its loop. */
    public final long filterBytes() {
        return filterBytes;
    }

    private void charge(long bytes) {
        if (!isEnded) { // by then all of it has been given back
            filterBytes += bytes;
            services.filterBytes.add(bytes);
        }
    }

    @Override
    public final int patternsWith(TopicFilter filter) {
        return patterns == null ? FilterPatterns.weightOf(filter) : patterns.sizeWith(filter);
    }

    @Override
    public final void asked(int filters) {
        boolean wasFull = isFullOfRequests();
        requestsUnanswered++;
        filtersUnanswered += filters;
        connection.loop().filterRoom().enter(filters);
        if (!wasFull && isFullOfRequests()) {
            connection.pauseReading(Connection.Pause.SUBSCRIBING);
        }
    }

    private boolean isFullOfRequests() {
        return requestsUnanswered >= MAX_REQUESTS_UNANSWERED || filtersUnanswered >= MAX_FILTERS_UNANSWERED;
    }

    @Override
    public final void answered(int filters) {
        boolean wasFull = isFullOfRequests();
        requestsUnanswered--;
        leaveRoom(filters);
        if (wasFull && !isFullOfRequests()) {
            connection.resumeReading(Connection.Pause.SUBSCRIBING);
        }
    }

    /** What has no answer when the session is over leaves with it. */
    private void leaveRoom(int filters) {
        int leaving = Math.min(filters, filtersUnanswered);
        filtersUnanswered -= leaving;
        connection.loop().filterRoom().leave(leaving);
    }

    @Override
    public final void noteAdded(TopicFilter filter) {
        if (filters == null) {
            filters = new FilterCount();
        }
        if (!filters.add(filter)) {
            return;
        }
        charge(FilterSize.heapBytes(filter));
        if (FilterPatterns.weightOf(filter) > 0) {
            if (patterns == null) {
                patterns = new FilterPatterns();
            }
            patterns.add(filter);
        }
    }

    @Override
    public final void noteRemoved(TopicFilter filter) {
        if (filters == null || !filters.remove(filter)) {
            return;
        }
        charge(-FilterSize.heapBytes(filter));
        if (patterns != null) {
            patterns.remove(filter);
        }
    }

    @Override
    public final boolean mayExist(TopicFilter filter) {
        return has(filter) || steps != null && steps.containsKey(filter);
    }

    @Override
    public final void stepBegun(TopicFilter filter) {
        if (steps == null) {
            steps = new HashMap<>(2);
        }
        steps.merge(filter, 1, (before, one) -> -Math.abs(before) - 1);
    }

    @Override
    public final boolean stepOver(TopicFilter filter) {
        int before = steps == null ? 0 : steps.getOrDefault(filter, 0);
        if (steps != null && before < -1) {
            steps.put(filter, before + 1);
        } else if (steps != null) {
            steps.remove(filter);
            steps = steps.isEmpty() ? null : steps;
        }
        return before == 1;
    }

    @Override
    public final CompletableFuture<Boolean> claimExclusive(TopicFilter filter) {
        return services.dist.claimExclusive(client().tenant(), filter, client().clientId());
    }

    @Override
    public final void releaseExclusive(TopicFilter filter) {
        services.dist.releaseExclusive(client().tenant(), filter, client().clientId());
    }

    // ---- what holds for its tenant

    @Override
    public final TenantPolicy policy() {
        return policy;
    }

    @Override
    public final TenantAccount account() {
        return account;
    }

    /** What CONNACK is to say. */
    public final TenantPolicy agreed() {
        return agreed;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // there is one object until something changes
    public final void retune() {
        TenantPolicy next = services.policies().of(client().tenant());
        if (next != policy) {
            policy = next;
            limitRates();
            policyChanged();
        }
    }

    private void limitRates() {
        connection.limitRates(
                policy.ofTenant(TenantSetting.MAX_BANDWIDTH_IN),
                policy.ofTenant(TenantSetting.MAX_BANDWIDTH_OUT),
                policy.ofTenant(TenantSetting.MAX_PUBLISH_RATE));
    }

    /** {@link #policy} is another one. */
    void policyChanged() {}

    // ---- as operators see it

    /** Others may find it from now on, until it is closed. */
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
                inflight == null ? 0 : inflight.size(),
                queued(),
                filterCount());
    }

    @Override
    public final @Nullable AckPace ackPace() {
        return inflight == null ? null : inflight.times().pace(services.nowMillis());
    }

    /** A message that the client is to answer was sent. */
    final void awaitsAnswer(int packetId, Message message) {
        inflight().times().sent(packetId, Math.max(message.receivedAtMillis(), waitsSinceMillis()));
    }

    @Override
    public final void end(ReasonCode code) {
        if (terms.isV5()) {
            connection.disconnect(code, BY_OPERATOR);
        } else {
            connection.close(BY_OPERATOR); // a DISCONNECT is the client's alone
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

    /** Asks for something whose answer fails when the connection ends before. */
    private CompletableFuture<List<ReasonCode>> onBehalf(Consumer<Consumer<List<ReasonCode>>> asking) {
        CompletableFuture<List<ReasonCode>> answer = new CompletableFuture<>();
        if (!connection.isOpen()) {
            answer.completeExceptionally(new CancellationException("the connection has ended"));
            return answer;
        }
        if (onBehalf == null) {
            onBehalf = new ArrayList<>(1);
        }
        onBehalf.add(answer);
        asking.accept(codes -> {
            answer.complete(codes);
            if (onBehalf != null) {
                onBehalf.removeIf(CompletableFuture::isDone);
                onBehalf = onBehalf.isEmpty() ? null : onBehalf;
            }
        });
        return answer;
    }

    /** How many messages wait here for the client to take more. */
    abstract int queued();

    /** CONNACK is on its way: deliveries may begin. */
    public abstract void start();

    /**
     * Subscribes the client to what the operator has set, and nobody has asked for.
     *
     * @param present what the session has from before, which is not written again
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
    public final Connection connection() {
        return connection;
    }

    @Override
    public final ClientInfo client() {
        return terms.client();
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
        } else { // a second CONNECT [MQTT5-3.1.0-2], what only a server sends
            throw new ProtocolException(
                    ReasonCode.PROTOCOL_ERROR, "unexpected " + packet.getClass().getSimpleName());
        }
    }

    /** What was read of publishes is handled. */
    final void intakeRead() {
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

    @Override
    public final <T> void inOrder(CompletableFuture<T> checked, Consumer<T> action) {
        if (subscribes == null && checked.isDone()) {
            action.accept(checked.join());
            return;
        }
        if (subscribes == null) {
            subscribes = new InOrder(connection);
        }
        subscribes.add(checked, action);
    }

    // ---- authentication while connected (MQTT 5.0, 4.12.1); until it has ended the earlier one holds

    private void onAuth(Auth auth) {
        String method = terms.authenticationMethod();
        if (method == null || !method.equals(auth.authenticationMethod())) { // [MQTT5-4.12.0-7], [MQTT5-4.12.1-1]
            throw new ProtocolException(
                    ReasonCode.PROTOCOL_ERROR, "AUTH with another authentication method than CONNECT had");
        }
        Authentication running = reauthentication;
        if (running != null) {
            running.onAuth(auth);
        } else if (auth.reasonCode() == ReasonCode.RE_AUTHENTICATE) {
            reauthenticate(method, auth);
        } else {
            throw new ProtocolException(ReasonCode.PROTOCOL_ERROR, "AUTH that was not asked for");
        }
    }

    private void reauthenticate(String method, Auth auth) {
        AuthExchange exchange =
                services.authorizer.exchange(new ExchangeRequest(method, client(), auth.userProperties(), true));
        if (exchange == null) {
            connection.disconnect(ReasonCode.BAD_AUTHENTICATION_METHOD, null);
            return;
        }
        Authentication begun =
                new Authentication(connection, services.authorizer, client(), method, exchange, new Reauthentication());
        reauthentication = begun;
        begun.begin(auth.authenticationData());
    }

    /** How an authentication while connected ends. */
    private final class Reauthentication implements Authentication.Outcome {
        @Override
        public void challenged() {
            // other packets go on meanwhile
        }

        @Override
        public void accepted(ConnectResult.Accepted accepted) {
            Authentication done = reauthentication;
            reauthentication = null;
            boolean isSame = accepted.tenant().equals(client().tenant())
                    && Objects.equals(accepted.userName(), client().userName());
            if (!isSame) {
                deny(new ConnectResult.Refused(RefusalReason.NOT_AUTHORIZED, "authenticated again as another user"));
            } else if (done != null) {
                grant = accepted.grant();
                connection.endAfter(accepted.validFor());
                connection.send(done.auth(ReasonCode.SUCCESS, accepted.data()));
            }
        }

        @Override
        public void refused(ConnectResult.Refused refused) {
            reauthentication = null;
            deny(refused);
        }

        private void deny(ConnectResult.Refused refused) { // [MQTT5-4.12.1-2]
            if (refused.reason().isClientsFault()) {
                connection.loginFailed();
            }
            connection.disconnect(services.authorizer.reauthenticationDenied(client(), refused), null);
        }
    }

    /** Where QoS 2 packet ids are kept; null to keep them in memory. */
    abstract @Nullable InboxAttachment attachment();

    /** The QoS 2 packet ids a resumed session had received and not released. */
    abstract int[] receivedBefore();

    abstract void onPubAck(PubAck ack);

    abstract void onPubRec(PubRec rec);

    abstract void onPubComp(PubComp comp);

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

    /** Another connection takes the session over [MQTT5-3.1.4-3]; it waits for {@link End}. On the loop. */
    public final void takenOver() {
        connection.disconnect(ReasonCode.SESSION_TAKEN_OVER, "another connection uses this client id");
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
    public final void onClosed(String reason) {
        isClosed = true;
        services.clients().of(connection.loop()).remove(this);
        if (onBehalf != null) {
            onBehalf.forEach(each ->
                    each.completeExceptionally(new CancellationException("the connection ended before the answer")));
            onBehalf = null;
        }
        if (reauthentication != null) {
            reauthentication.end();
            reauthentication = null;
            services.authorizer.reauthenticationDenied(client(), Authentication.ABANDONED);
            connection.loginFailed();
        }
        endSlow();
        services.reports.disconnected(client(), reason);
        if (intake != null) {
            intake.close();
        }
        release(disconnectExpirySeconds, owesWill);
        if (inflight != null) {
            inflight.close();
            inflight = null; // a list of matches may keep the session a while longer
        }
        endIfQuiet();
    }

    /**
     * Gives up what the session holds elsewhere; calls {@link #released} when that is done.
     *
     * @param disconnectExpirySeconds what DISCONNECT said, -1 when nothing
     */
    abstract void release(long disconnectExpirySeconds, boolean publishWill);

    /** The stores have decided what was asked of them to give up what the session holds. */
    final void leaving() {
        isLeaving = true;
        endIfQuiet();
    }

    final void released() {
        isReleased = true;
        endIfQuiet();
    }

    /** The intake has no publish under way any more. */
    final void intakeQuiet() {
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
            charge(-filterBytes);
            isEnded = true;
            leaveRoom(filtersUnanswered);
            end.ended();
        }
    }

    final boolean isClosed() {
        return isClosed;
    }

    /** Of its loop. */
    final LoopCounts counts() {
        return services.countsOf(connection.loop());
    }

    /** Outbound messages of QoS 1 and 2 under way. */
    final Inflight inflight() {
        Inflight present = inflight;
        if (present == null) {
            present = new Inflight(services.queuedBytes, counts());
            inflight = present;
        }
        return present;
    }

    /** Those of {@link #inflight}, in no order. */
    final long[] sequencesUnderWay() {
        return inflight == null ? NO_SEQUENCES : inflight.sequences();
    }

    /** What is under way by a shared subscription, in the order in which it was sent. */
    final List<Delivery> takeHeldForOthers() {
        return inflight == null ? List.of() : inflight.takeHeld();
    }

    /** How far the outbound message of this packet id is: one of the constants of {@link Inflight}. */
    final byte stateOf(int packetId) {
        return inflight == null ? Inflight.NONE : inflight.state(packetId);
    }

    /** Whether one more message of QoS 1 or 2 may be sent now. */
    final boolean hasWindow() {
        return (inflight == null
                        || inflight.size() < terms.sendWindow()
                                && inflight.mayHoldMore(policy.number(TenantSetting.MAX_QUEUED_BYTES)))
                && connection.isWritable();
    }

    /**
     * Sends one delivery.
     *
     * @param ids subscription identifiers, empty when none
     * @param packetId 0 at QoS 0
     * @return false when it is not sent: the client has no such topic, or does not take packets of its size, which is
     *     counted as dropped [MQTT5-3.1.2-25]
     */
    final boolean sendPublish(Message message, Qos qos, boolean retain, int[] ids, int packetId, boolean dup) {
        String topic = terms.topics().delivered(message.topic());
        if (topic == null) {
            return false;
        }
        int alias = 0;
        boolean isNewAlias = false;
        MessageProperties properties = message.properties();
        if (terms.isV5()) {
            properties = withRemainingExpiry(message);
            OutboundAliases aliases = outboundAliases();
            if (aliases != null) {
                alias = aliases.known(topic);
                isNewAlias = alias == 0;
                if (isNewAlias) {
                    alias = aliases.next();
                } else {
                    topic = "";
                }
            }
        }
        boolean isSent = connection.send(
                new Publish(packetId, dup, qos, retain, topic, alias, message.payload(), properties, ids));
        if (!isSent) {
            dropped(message, DropReason.PACKET_TOO_LARGE);
            return false;
        }
        if (isNewAlias && outboundAliases != null) {
            outboundAliases.announced(topic, alias);
        }
        counted(message, qos, retain, packetId, dup);
        return true;
    }

    /**
     * A copy was handed to the connection.
     *
     * @param isRetained whether its RETAIN flag is set: it may have come before the subscription
     * @param packetId 0 at QoS 0
     * @param isRepeated whether it was sent before
     */
    final void counted(Message message, Qos qos, boolean isRetained, int packetId, boolean isRepeated) {
        Tracer tracer = services.tracing.active();
        if (tracer != null) {
            tracer.sent(client(), message, qos, packetId, isRepeated);
        }
        services.reports.delivered(client(), message, qos, isRetained);
        services.traffic.of(connection.loop()).sent(client(), message);
        account.delivered(message.payload().length);
        if (isRetained) {
            services.metrics.retainedOut();
        } else if (!isRepeated) {
            services.outLatency.sent(connection.loop(), message, qos, waitsSinceMillis());
        }
    }

    /** A copy has to wait for the client. */
    final void queued(Message message, Qos qos) {
        Tracer tracer = services.tracing.active();
        if (tracer != null) {
            tracer.queued(client(), message, qos);
        }
    }

    /** The client has answered, for good, a copy that was under way. */
    final void acknowledged(int packetId, ReasonCode code) {
        counts().acknowledge();
        AckTimes times = inflight().times();
        if (times.isTimed(packetId)) {
            times.answered(services.nowMillis());
        }
        Tracer tracer = services.tracing.active();
        if (tracer != null) {
            tracer.acknowledged(client(), packetId, code);
        }
    }

    /** Messages that came before had to wait for the client. Wall clock. */
    long waitsSinceMillis() {
        return Long.MIN_VALUE; // such a session begins with the connection
    }

    /** Whether a copy for this session may be one that others get as well, but for its packet id. */
    final boolean takesSharedFrames() {
        return terms.topicAliasMaximum() == 0 && !terms.topics().isMounted();
    }

    @SuppressWarnings(
            "NullAway") // the compiler of Java 17 does not see "byte @Nullable []" in another module's class file
    private MessageProperties withRemainingExpiry(Message message) {
        MessageProperties p = message.properties();
        if (p.messageExpirySeconds() < 0) {
            return p;
        }
        return new MessageProperties(
                p.payloadFormat(),
                message.remainingExpirySeconds(services.nowMillis()),
                p.contentType(),
                p.responseTopic(),
                p.correlationData(),
                p.userProperties());
    }

    private @Nullable OutboundAliases outboundAliases() {
        if (outboundAliases == null && terms.topicAliasMaximum() > 0) {
            outboundAliases = new OutboundAliases(terms.topicAliasMaximum());
        }
        return outboundAliases;
    }

    final boolean isExpired(Message message) {
        return message.properties().messageExpirySeconds() >= 0 && message.isExpired(services.nowMillis());
    }

    final void dropped(Message message, DropReason reason) {
        services.reports.dropped(client(), message.topic(), reason);
        if (reason.isSlowConsumers() && !isClosed && !connection.isOverBandwidth()) {
            spell().dropped();
        }
    }

    /** Why a message of QoS 0 is dropped while the connection is not writable. */
    final DropReason unwritable() {
        return connection.isOverBandwidth() ? DropReason.BANDWIDTH : DropReason.SLOW_CONSUMER;
    }

    // ---- a client that reads too slowly: told when it begins and when it ends

    private SlowSpell spell() {
        SlowSpell present = slow;
        if (present == null) {
            present = new SlowSpell();
            slow = present;
            connection.needTicks();
            services.reports.slowConsumerBegan(client());
        }
        return present;
    }

    @Override
    public final boolean onTick() {
        boolean isStuck = !connection.isWritable() && !connection.isOverBandwidth();
        stuckSeconds = isStuck ? (byte) Math.min(STUCK_SECONDS, stuckSeconds + 1) : 0;
        if (slow != null || stuckSeconds == STUCK_SECONDS) {
            watchPace(spell(), isStuck);
        }
        boolean isWatching = tick();
        return isWatching || slow != null || !connection.isWritable();
    }

    private void watchPace(SlowSpell spell, boolean isStuck) {
        long timeoutSeconds = policy.number(TenantSetting.SLOW_CONSUMER_TIMEOUT_SECONDS);
        if (!spell.goesOn(isStuck)) {
            endSlow();
        } else if (timeoutSeconds > 0 && spell.seconds() >= timeoutSeconds) {
            connection.disconnect(ReasonCode.QUOTA_EXCEEDED, "the client reads too slowly");
        }
    }

    private void endSlow() {
        SlowSpell ended = slow;
        if (ended != null) {
            slow = null;
            services.reports.slowConsumerEnded(client(), ended.droppedMessages(), ended.seconds());
        }
    }

    /**
     * A second has passed.
     *
     * @return whether the next one matters
     */
    abstract boolean tick();

    /**
     * Retained messages for a subscription could not be read or passed on now: counted and reported, and tried again.
     */
    final void replayDelayed(RetainedReplay replay, Throwable cause) {
        services.reports.replayDelayed(client(), replay.filter().text(), String.valueOf(cause.getMessage()));
    }

    /** Calls {@link #released} when {@code step} is over, well or not. */
    final void releaseAfter(CompletableFuture<?> step) {
        OnEventLoop.whenComplete(connection, step, (done, failure) -> released());
    }
}
