package io.godwit.broker.clients.remote;

import com.google.protobuf.InvalidProtocolBufferException;
import io.godwit.broker.api.LogText;
import io.godwit.broker.clients.node.NodeClients;
import io.godwit.broker.clients.node.TopicQuestion;
import io.godwit.broker.clients.wire.BansRequest;
import io.godwit.broker.clients.wire.DisconnectAnswer;
import io.godwit.broker.clients.wire.DisconnectRequest;
import io.godwit.broker.clients.wire.FindAnswer;
import io.godwit.broker.clients.wire.FindRequest;
import io.godwit.broker.clients.wire.LiftBanAnswer;
import io.godwit.broker.clients.wire.LiftBanRequest;
import io.godwit.broker.clients.wire.PageRequest;
import io.godwit.broker.clients.wire.ReceiversRequest;
import io.godwit.broker.clients.wire.SubscribeRequest;
import io.godwit.broker.clients.wire.SubscriptionsRequest;
import io.godwit.broker.clients.wire.UnsubscribeRequest;
import io.godwit.common.failure.Failures;
import io.godwit.mqtt.ban.AutomaticBan;
import io.godwit.mqtt.client.ClientKey;
import io.godwit.mqtt.client.ClientQuery;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.client.TenantId;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers other nodes' questions about the clients of this node. Called on event loops, but works on another thread.
 * The questions of each kind are bounded in number, size and time. Kinds are counted separately, so that slow pages do
 * not keep others from finding or disconnecting a client.
 */
public final class ClientsService {
    private static final Logger LOG = LoggerFactory.getLogger(ClientsService.class);
    /** Bound of questions for pages, whose answers are large: enough for the operators of several members at once. */
    public static final int MAX_PAGES = 16;
    /** Bound of questions about one client. */
    static final int MAX_SINGLE_QUESTIONS = 64;
    /** The largest question. Its criteria and its key may contain long texts of a client or an operator. */
    public static final int MAX_REQUEST_BYTES = 1 << 19;

    private static final Duration LONGEST = Duration.ofSeconds(30);

    private final NodeClients own;
    private final Executor thread;
    /** @param thread decodes and encodes messages */
    public ClientsService(NodeClients own, Executor thread) {
        this.own = own;
        this.thread = thread;
    }

    public ServerServiceDefinition definition() {
        ServerServiceDefinition.Builder service = ServerServiceDefinition.builder(ClientMethods.SERVICE);
        add(service, ClientMethods.PAGE, MAX_PAGES, this::page);
        add(service, ClientMethods.FIND, MAX_SINGLE_QUESTIONS, this::find);
        add(service, ClientMethods.DISCONNECT, MAX_SINGLE_QUESTIONS, this::disconnect);
        add(service, ClientMethods.SUBSCRIPTIONS, MAX_PAGES, this::subscriptions);
        add(service, ClientMethods.RECEIVERS, MAX_PAGES, this::receivers);
        add(service, ClientMethods.SUBSCRIBE, MAX_SINGLE_QUESTIONS, this::subscribe);
        add(service, ClientMethods.UNSUBSCRIBE, MAX_SINGLE_QUESTIONS, this::unsubscribe);
        add(service, ClientMethods.BANS, MAX_PAGES, this::bans);
        add(service, ClientMethods.LIFT_BAN, MAX_SINGLE_QUESTIONS, this::liftBan);
        return service.build();
    }

    private interface Answering {
        CompletableFuture<byte[]> answer(byte[] request, Duration within) throws InvalidProtocolBufferException;
    }

    /** @param most bound of questions of this kind under way */
    private void add(
            ServerServiceDefinition.Builder service,
            MethodDescriptor<byte[], byte[]> method,
            int most,
            Answering answering) {
        AtomicInteger underWay = new AtomicInteger(); // they begin on gRPC's event loops and end on any thread
        service.addMethod(
                method,
                ServerCalls.asyncUnaryCall((request, caller) -> take(underWay, most, answering, request, caller)));
    }

    private void take(
            AtomicInteger underWay, int most, Answering answering, byte[] request, StreamObserver<byte[]> caller) {
        if (request.length > MAX_REQUEST_BYTES) {
            caller.onError(refusal("a question of " + request.length + " bytes"));
            return;
        }
        if (underWay.incrementAndGet() > most) {
            underWay.decrementAndGet();
            caller.onError(Status.RESOURCE_EXHAUSTED
                    .withDescription("the node answers " + most + " such questions about clients already")
                    .asRuntimeException());
            return;
        }
        Duration within = timeLeft(Context.current().getDeadline());
        CompletableFuture.completedFuture(request)
                .thenComposeAsync(bytes -> begin(answering, bytes, within), thread)
                .exceptionally(failure -> {
                    throw new CompletionException(statusOf(failure));
                })
                .whenComplete((answer, failure) -> {
                    underWay.decrementAndGet();
                    if (failure == null) {
                        caller.onNext(answer);
                        caller.onCompleted();
                    } else {
                        caller.onError(failure.getCause());
                    }
                });
    }

    private static CompletableFuture<byte[]> begin(Answering answering, byte[] bytes, Duration within) {
        try {
            return answering.answer(bytes, within);
        } catch (InvalidProtocolBufferException e) {
            return CompletableFuture.failedFuture(new IllegalArgumentException(e));
        } catch (RuntimeException e) { // outermost frame of a request
            return CompletableFuture.failedFuture(e);
        }
    }

    private static Duration timeLeft(@Nullable Deadline deadline) {
        long nanos = deadline == null ? Long.MAX_VALUE : deadline.timeRemaining(TimeUnit.NANOSECONDS);
        return Duration.ofNanos(Math.max(0, Math.min(nanos, LONGEST.toNanos())));
    }

    private static StatusRuntimeException statusOf(Throwable failure) {
        Throwable cause = Failures.cause(failure);
        if (cause instanceof StatusRuntimeException status) {
            return status;
        } else if (cause instanceof IllegalArgumentException) {
            return refusal(String.valueOf(cause.getMessage()));
        } else if (cause instanceof TimeoutException) {
            return Status.DEADLINE_EXCEEDED
                    .withDescription("the event loops did not answer in time")
                    .asRuntimeException();
        } else if (cause instanceof CancellationException) {
            return Status.UNAVAILABLE.withDescription(cause.getMessage()).asRuntimeException();
        } else if (cause instanceof RejectedExecutionException) {
            return Status.UNAVAILABLE.withDescription("the node is stopping").asRuntimeException();
        }
        LOG.warn("question about clients failed", cause);
        return Status.INTERNAL.withDescription(cause.toString()).asRuntimeException();
    }

    private static StatusRuntimeException refusal(String why) {
        return Status.INVALID_ARGUMENT.withDescription(why).asRuntimeException();
    }

    private static void check(int version) {
        if (version != ClientWire.VERSION) {
            throw Status.FAILED_PRECONDITION
                    .withDescription("the node answers version " + ClientWire.VERSION
                            + " of questions about clients, not " + Integer.toUnsignedString(version))
                    .asRuntimeException();
        }
    }

    private static int checkedLimit(int limit) {
        if (limit < 1 || limit > ClientQuery.MAX_LIMIT) {
            throw new IllegalArgumentException("a page of " + Integer.toUnsignedString(limit) + " clients");
        }
        return limit;
    }

    private CompletableFuture<byte[]> page(byte[] bytes, Duration within) throws InvalidProtocolBufferException {
        PageRequest request = PageRequest.parseFrom(bytes);
        check(request.getVersion());
        int limit = checkedLimit(request.getLimit());
        ClientKey after = request.hasAfter() ? ClientWire.key(request.getAfter()) : null;
        return own.page(ClientWire.criteria(request.getCriteria()), after, limit, within)
                .thenApplyAsync(page -> ClientWire.pageAnswer(page).toByteArray(), thread);
    }

    private CompletableFuture<byte[]> find(byte[] bytes, Duration within) throws InvalidProtocolBufferException {
        FindRequest request = FindRequest.parseFrom(bytes);
        check(request.getVersion());
        return own.find(ClientWire.key(request.getKey()), within).thenApply(found -> {
            FindAnswer.Builder answer = FindAnswer.newBuilder();
            found.ifPresent(client -> answer.setClient(ClientWire.client(client)));
            return answer.build().toByteArray();
        });
    }

    private CompletableFuture<byte[]> disconnect(byte[] bytes, Duration within) throws InvalidProtocolBufferException {
        DisconnectRequest request = DisconnectRequest.parseFrom(bytes);
        check(request.getVersion());
        ReasonCode code = ReasonCode.of(request.getReasonCode());
        if (code == null || !Disconnect.isFromServer(code)) {
            throw new IllegalArgumentException(
                    "a server does not send DISCONNECT with " + Integer.toUnsignedString(request.getReasonCode()));
        }
        ClientKey key = ClientWire.key(request.getKey());
        return own.disconnect(key, code, within).thenApply(wasConnected -> {
            if (wasConnected) {
                LOG.info("another node's operator disconnected a client client={} code={}", LogText.of(key), code);
            }
            return DisconnectAnswer.newBuilder()
                    .setWasConnected(wasConnected)
                    .build()
                    .toByteArray();
        });
    }

    private CompletableFuture<byte[]> subscriptions(byte[] bytes, Duration within)
            throws InvalidProtocolBufferException {
        SubscriptionsRequest request = SubscriptionsRequest.parseFrom(bytes);
        check(request.getVersion());
        int limit = checkedLimit(request.getLimit());
        String after = request.hasAfter() ? request.getAfter() : null;
        return own.subscriptions(ClientWire.key(request.getKey()), after, limit, within)
                .thenApplyAsync(found -> SubscriptionsWire.answer(found).toByteArray(), thread);
    }

    private CompletableFuture<byte[]> subscribe(byte[] bytes, Duration within) throws InvalidProtocolBufferException {
        SubscribeRequest request = SubscribeRequest.parseFrom(bytes);
        check(request.getVersion());
        return own.subscribe(
                        ClientWire.key(request.getKey()),
                        BehalfWire.subscriptions(request),
                        BehalfWire.subscriptionId(request),
                        within)
                .thenApply(codes -> BehalfWire.answer(codes).toByteArray());
    }

    private CompletableFuture<byte[]> unsubscribe(byte[] bytes, Duration within) throws InvalidProtocolBufferException {
        UnsubscribeRequest request = UnsubscribeRequest.parseFrom(bytes);
        check(request.getVersion());
        return own.unsubscribe(ClientWire.key(request.getKey()), BehalfWire.filters(request), within)
                .thenApply(codes -> BehalfWire.answer(codes).toByteArray());
    }

    private CompletableFuture<byte[]> bans(byte[] bytes, Duration within) throws InvalidProtocolBufferException {
        BansRequest request = BansRequest.parseFrom(bytes);
        check(request.getVersion());
        return own.automaticBans(BanWire.query(request), within)
                .thenApplyAsync(page -> BanWire.answer(page).toByteArray(), thread);
    }

    private CompletableFuture<byte[]> liftBan(byte[] bytes, Duration within) throws InvalidProtocolBufferException {
        LiftBanRequest request = LiftBanRequest.parseFrom(bytes);
        check(request.getVersion());
        String id = request.getId();
        if (!AutomaticBan.isId(id)) {
            throw new IllegalArgumentException("no id of a ban that a node makes by itself");
        }
        TenantId tenant = request.hasTenant() ? new TenantId(request.getTenant()) : null;
        return own.liftBan(id, tenant, within).thenApply(wasBanned -> {
            if (wasBanned) {
                LOG.info("another node's operator lifted a ban of this node id={}", LogText.of(id));
            }
            return LiftBanAnswer.newBuilder().setWasBanned(wasBanned).build().toByteArray();
        });
    }

    private CompletableFuture<byte[]> receivers(byte[] bytes, Duration within) throws InvalidProtocolBufferException {
        ReceiversRequest request = ReceiversRequest.parseFrom(bytes);
        check(request.getVersion());
        int limit = checkedLimit(request.getLimit());
        TenantId tenant = new TenantId(request.getTenant());
        TopicQuestion question = request.getIsFilter()
                ? TopicQuestion.ofFilter(tenant, request.getTopic())
                : TopicQuestion.ofTopic(tenant, request.getTopic());
        return own.receivers(question, limit, within)
                .thenApplyAsync(found -> ReceiversWire.answer(found).toByteArray(), thread);
    }
}
