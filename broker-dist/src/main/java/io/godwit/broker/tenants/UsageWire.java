package io.godwit.broker.tenants;

import com.google.protobuf.InvalidProtocolBufferException;
import io.godwit.broker.tenants.wire.UsageAnswer;
import io.godwit.broker.tenants.wire.UsageRequest;
import io.godwit.cluster.rpc.BytesMarshaller;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.throttle.TenantResource;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** Encodes the use of tenants; {@code tenants_protocol.proto} defines the messages. */
final class UsageWire {
    static final int VERSION = 1;
    static final String SERVICE = "godwit.TenantUsage";
    /** Bound of one request. */
    static final int MAX_TENANTS = 10_000;
    /** Bound of a request or an answer. */
    static final int MAX_BYTES = 4 * 1024 * 1024;
    /** Bound of each value, so that sums over nodes do not overflow. */
    static final long MOST = Long.MAX_VALUE / 65_536;

    static final MethodDescriptor<byte[], byte[]> READ = MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodType.UNARY)
            .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "read"))
            .setRequestMarshaller(BytesMarshaller.INSTANCE)
            .setResponseMarshaller(BytesMarshaller.INSTANCE)
            .build();

    private UsageWire() {}

    /** @param tenants at most {@link #MAX_TENANTS} */
    static byte[] request(Collection<TenantId> tenants) {
        UsageRequest.Builder request = UsageRequest.newBuilder().setVersion(VERSION);
        tenants.forEach(tenant -> request.addTenants(tenant.value()));
        return request.build().toByteArray();
    }

    /**
     * The tenants of a request.
     *
     * @throws io.grpc.StatusRuntimeException if the request is invalid, too large or of an unsupported version
     */
    static Set<TenantId> tenants(byte[] request) {
        try {
            UsageRequest read = UsageRequest.parseFrom(request.length > MAX_BYTES ? new byte[0] : request);
            if (read.getVersion() != VERSION || read.getTenantsCount() > MAX_TENANTS) {
                throw Status.FAILED_PRECONDITION
                        .withDescription("the node answers version " + VERSION + " of questions about at most "
                                + MAX_TENANTS + " tenants")
                        .asRuntimeException();
            }
            Set<TenantId> tenants = new LinkedHashSet<>();
            for (String name : read.getTenantsList()) {
                tenants.add(new TenantId(name));
            }
            return tenants;
        } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
            throw Status.INVALID_ARGUMENT.withDescription(e.getMessage()).asRuntimeException();
        }
    }

    static byte[] answer(Collection<TenantId> tenants, Function<TenantId, TenantUse> uses) {
        UsageAnswer.Builder answer = UsageAnswer.newBuilder();
        for (TenantId tenant : tenants) {
            TenantUse use = uses.apply(tenant);
            if (use.used().isEmpty() && use.shortOf().isEmpty()) {
                continue;
            }
            answer.addTenants(io.godwit.broker.tenants.wire.TenantUse.newBuilder()
                    .setTenant(tenant.value())
                    .setConnections(use.of(TenantResource.CONNECTIONS))
                    .setConnectRate(use.of(TenantResource.CONNECT_RATE))
                    .setSessions(use.of(TenantResource.SESSIONS))
                    .setSubscriptions(use.of(TenantResource.SUBSCRIPTIONS))
                    .setSharedSubscriptions(use.of(TenantResource.SHARED_SUBSCRIPTIONS))
                    .setRetainedMessages(use.of(TenantResource.RETAINED_MESSAGES))
                    .setRetainedBytes(use.of(TenantResource.RETAINED_BYTES))
                    .setPublishRate(use.of(TenantResource.PUBLISH_RATE))
                    .setPublishBytes(use.of(TenantResource.PUBLISH_BYTES))
                    .setDeliverRate(use.of(TenantResource.DELIVER_RATE))
                    .setDeliverBytes(use.of(TenantResource.DELIVER_BYTES))
                    .setQueuedBytes(use.of(TenantResource.QUEUED_BYTES))
                    .setDelayedMessages(use.of(TenantResource.DELAYED_MESSAGES))
                    .setIsConnectRateShort(use.isShortOf(TenantResource.CONNECT_RATE))
                    .setIsPublishRateShort(use.isShortOf(TenantResource.PUBLISH_RATE))
                    .setIsPublishBytesShort(use.isShortOf(TenantResource.PUBLISH_BYTES))
                    .setIsDeliverRateShort(use.isShortOf(TenantResource.DELIVER_RATE))
                    .setIsDeliverBytesShort(use.isShortOf(TenantResource.DELIVER_BYTES)));
        }
        return answer.build().toByteArray();
    }

    /**
     * Decodes the answer of a node.
     *
     * @throws InvalidProtocolBufferException if it is no such message
     * @throws IllegalArgumentException for an impossible value
     */
    static Map<TenantId, TenantUse> uses(byte[] answer) throws InvalidProtocolBufferException {
        UsageAnswer read = UsageAnswer.parseFrom(answer);
        if (read.getTenantsCount() > MAX_TENANTS) {
            throw new IllegalArgumentException(read.getTenantsCount() + " tenants");
        }
        Map<TenantId, TenantUse> uses = new HashMap<>();
        for (io.godwit.broker.tenants.wire.TenantUse each : read.getTenantsList()) {
            uses.put(new TenantId(each.getTenant()), use(each));
        }
        return uses;
    }

    private static TenantUse use(io.godwit.broker.tenants.wire.TenantUse told) {
        Map<TenantResource, Long> used = new EnumMap<>(TenantResource.class);
        put(used, TenantResource.CONNECTIONS, told.getConnections());
        put(used, TenantResource.CONNECT_RATE, told.getConnectRate());
        put(used, TenantResource.SESSIONS, told.getSessions());
        put(used, TenantResource.SUBSCRIPTIONS, told.getSubscriptions());
        put(used, TenantResource.SHARED_SUBSCRIPTIONS, told.getSharedSubscriptions());
        put(used, TenantResource.RETAINED_MESSAGES, told.getRetainedMessages());
        put(used, TenantResource.RETAINED_BYTES, told.getRetainedBytes());
        put(used, TenantResource.PUBLISH_RATE, told.getPublishRate());
        put(used, TenantResource.PUBLISH_BYTES, told.getPublishBytes());
        put(used, TenantResource.DELIVER_RATE, told.getDeliverRate());
        put(used, TenantResource.DELIVER_BYTES, told.getDeliverBytes());
        put(used, TenantResource.QUEUED_BYTES, told.getQueuedBytes());
        put(used, TenantResource.DELAYED_MESSAGES, told.getDelayedMessages());
        Set<TenantResource> shortOf = EnumSet.noneOf(TenantResource.class);
        if (told.getIsConnectRateShort()) {
            shortOf.add(TenantResource.CONNECT_RATE);
        }
        if (told.getIsPublishRateShort()) {
            shortOf.add(TenantResource.PUBLISH_RATE);
        }
        if (told.getIsPublishBytesShort()) {
            shortOf.add(TenantResource.PUBLISH_BYTES);
        }
        if (told.getIsDeliverRateShort()) {
            shortOf.add(TenantResource.DELIVER_RATE);
        }
        if (told.getIsDeliverBytesShort()) {
            shortOf.add(TenantResource.DELIVER_BYTES);
        }
        return new TenantUse(used, shortOf);
    }

    private static void put(Map<TenantResource, Long> used, TenantResource resource, long value) {
        if (value < 0 || value > MOST) {
            throw new IllegalArgumentException(resource + " " + Long.toUnsignedString(value));
        }
        if (value > 0) {
            used.put(resource, value);
        }
    }
}
