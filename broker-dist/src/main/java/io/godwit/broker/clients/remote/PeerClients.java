package io.godwit.broker.clients.remote;

import com.google.protobuf.InvalidProtocolBufferException;
import io.godwit.broker.clients.node.NodeBans;
import io.godwit.broker.clients.node.NodeClients;
import io.godwit.broker.clients.node.NodeReceivers;
import io.godwit.broker.clients.node.NodeSubscriptions;
import io.godwit.broker.clients.node.TopicQuestion;
import io.godwit.broker.clients.wire.BansAnswer;
import io.godwit.broker.clients.wire.CodesAnswer;
import io.godwit.broker.clients.wire.DisconnectAnswer;
import io.godwit.broker.clients.wire.DisconnectRequest;
import io.godwit.broker.clients.wire.FindAnswer;
import io.godwit.broker.clients.wire.FindRequest;
import io.godwit.broker.clients.wire.LiftBanAnswer;
import io.godwit.broker.clients.wire.LiftBanRequest;
import io.godwit.broker.clients.wire.PageAnswer;
import io.godwit.broker.clients.wire.ReceiversAnswer;
import io.godwit.broker.clients.wire.ReceiversRequest;
import io.godwit.broker.clients.wire.SubscriptionsAnswer;
import io.godwit.broker.clients.wire.SubscriptionsRequest;
import io.godwit.mqtt.ban.AutomaticBanQuery;
import io.godwit.mqtt.client.ClientCriteria;
import io.godwit.mqtt.client.ClientKey;
import io.godwit.mqtt.client.ClientPage;
import io.godwit.mqtt.client.ConnectedClient;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The clients of another node. Its answers are bounded and checked. */
public final class PeerClients implements NodeClients {
    /** Enough for an answer with one client beyond the bound. */
    private static final int MAX_INBOUND_BYTES = 2 * ClientWire.MAX_ANSWER_BYTES;

    private final Channel channel;
    private final Executor reading;

    /** @param reading decodes answers */
    public PeerClients(Channel channel, Executor reading) {
        this.channel = channel;
        this.reading = reading;
    }

    @Override
    public CompletableFuture<ClientPage<ConnectedClient>> page(
            ClientCriteria criteria, @Nullable ClientKey after, int limit, Duration within) {
        byte[] request = ClientWire.pageRequest(criteria, after, limit).toByteArray();
        return call(
                ClientMethods.PAGE,
                request,
                within,
                bytes -> ClientWire.page(PageAnswer.parseFrom(bytes), criteria, after, limit));
    }

    @Override
    public CompletableFuture<Optional<ConnectedClient>> find(ClientKey key, Duration within) {
        FindRequest request = FindRequest.newBuilder()
                .setVersion(ClientWire.VERSION)
                .setKey(ClientWire.key(key))
                .build();
        return call(ClientMethods.FIND, request.toByteArray(), within, bytes -> {
            FindAnswer answer = FindAnswer.parseFrom(bytes);
            if (!answer.hasClient()) {
                return Optional.empty();
            }
            ConnectedClient client = ClientWire.client(answer.getClient());
            if (!client.key().equals(key)) {
                throw new IllegalArgumentException("another client than was asked for");
            }
            return Optional.of(client);
        });
    }

    @Override
    public CompletableFuture<Boolean> disconnect(ClientKey key, ReasonCode code, Duration within) {
        DisconnectRequest request = DisconnectRequest.newBuilder()
                .setVersion(ClientWire.VERSION)
                .setKey(ClientWire.key(key))
                .setReasonCode(code.value())
                .build();
        return call(
                ClientMethods.DISCONNECT,
                request.toByteArray(),
                within,
                bytes -> DisconnectAnswer.parseFrom(bytes).getWasConnected());
    }

    @Override
    public CompletableFuture<NodeReceivers> receivers(TopicQuestion question, int limit, Duration within) {
        ReceiversRequest request = ReceiversRequest.newBuilder()
                .setVersion(ClientWire.VERSION)
                .setTenant(question.tenant().value())
                .setTopic(question.text())
                .setIsFilter(question.filter() != null)
                .setLimit(limit)
                .build();
        return call(
                ClientMethods.RECEIVERS,
                request.toByteArray(),
                within,
                bytes -> ReceiversWire.receivers(ReceiversAnswer.parseFrom(bytes), limit));
    }

    @Override
    public CompletableFuture<Optional<NodeSubscriptions>> subscriptions(
            ClientKey key, @Nullable String after, int limit, Duration within) {
        SubscriptionsRequest.Builder request = SubscriptionsRequest.newBuilder()
                .setVersion(ClientWire.VERSION)
                .setKey(ClientWire.key(key))
                .setLimit(limit);
        if (after != null) {
            request.setAfter(after);
        }
        return call(
                ClientMethods.SUBSCRIPTIONS,
                request.build().toByteArray(),
                within,
                bytes -> SubscriptionsWire.subscriptions(SubscriptionsAnswer.parseFrom(bytes), after, limit));
    }

    @Override
    public CompletableFuture<Optional<List<ReasonCode>>> subscribe(
            ClientKey key, List<Subscription> subscriptions, int subscriptionId, Duration within) {
        return call(
                ClientMethods.SUBSCRIBE,
                BehalfWire.request(key, subscriptions, subscriptionId).toByteArray(),
                within,
                bytes -> BehalfWire.codes(CodesAnswer.parseFrom(bytes), subscriptions.size()));
    }

    @Override
    public CompletableFuture<Optional<List<ReasonCode>>> unsubscribe(
            ClientKey key, List<TopicFilter> filters, Duration within) {
        return call(
                ClientMethods.UNSUBSCRIBE,
                BehalfWire.request(key, filters).toByteArray(),
                within,
                bytes -> BehalfWire.codes(CodesAnswer.parseFrom(bytes), filters.size()));
    }

    @Override
    public CompletableFuture<NodeBans> automaticBans(AutomaticBanQuery query, Duration within) {
        return call(
                ClientMethods.BANS,
                BanWire.request(query).toByteArray(),
                within,
                bytes -> BanWire.bans(BansAnswer.parseFrom(bytes), query));
    }

    @Override
    public CompletableFuture<Boolean> liftBan(String id, @Nullable TenantId tenant, Duration within) {
        LiftBanRequest.Builder request =
                LiftBanRequest.newBuilder().setVersion(ClientWire.VERSION).setId(id);
        if (tenant != null) {
            request.setTenant(tenant.value());
        }
        return call(
                ClientMethods.LIFT_BAN,
                request.build().toByteArray(),
                within,
                bytes -> LiftBanAnswer.parseFrom(bytes).getWasBanned());
    }

    private interface Reading<T> {
        T read(byte[] answer) throws InvalidProtocolBufferException;
    }

    private <T> CompletableFuture<T> call(
            MethodDescriptor<byte[], byte[]> method, byte[] request, Duration within, Reading<T> reader) {
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        CallOptions options = CallOptions.DEFAULT
                .withDeadlineAfter(within.toNanos(), TimeUnit.NANOSECONDS)
                .withMaxInboundMessageSize(MAX_INBOUND_BYTES);
        ClientCalls.asyncUnaryCall(channel.newCall(method, options), request, new StreamObserver<>() {
            @Override
            public void onNext(byte[] value) {
                answer.complete(value);
            }

            @Override
            public void onError(Throwable failure) {
                answer.completeExceptionally(failure);
            }

            @Override
            public void onCompleted() {
                answer.completeExceptionally(new IllegalArgumentException("no answer")); // a no-op after onNext
            }
        });
        return answer.thenApplyAsync(
                bytes -> {
                    try {
                        return reader.read(bytes);
                    } catch (InvalidProtocolBufferException e) {
                        throw new CompletionException(e);
                    }
                },
                reading);
    }
}
