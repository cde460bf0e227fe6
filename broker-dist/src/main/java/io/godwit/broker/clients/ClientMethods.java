package io.godwit.broker.clients;

import io.godwit.cluster.BytesMarshaller;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;

/** The methods that nodes call to ask about each other's clients; {@code clients_protocol.proto} defines them. */
final class ClientMethods {
    static final String SERVICE = "godwit.Clients";

    static final MethodDescriptor<byte[], byte[]> PAGE = unary("page");
    static final MethodDescriptor<byte[], byte[]> FIND = unary("find");
    static final MethodDescriptor<byte[], byte[]> DISCONNECT = unary("disconnect");
    static final MethodDescriptor<byte[], byte[]> SUBSCRIPTIONS = unary("subscriptions");
    static final MethodDescriptor<byte[], byte[]> RECEIVERS = unary("receivers");
    static final MethodDescriptor<byte[], byte[]> SUBSCRIBE = unary("subscribe");
    static final MethodDescriptor<byte[], byte[]> UNSUBSCRIBE = unary("unsubscribe");
    static final MethodDescriptor<byte[], byte[]> BANS = unary("bans");
    static final MethodDescriptor<byte[], byte[]> LIFT_BAN = unary("liftBan");

    private ClientMethods() {}

    private static MethodDescriptor<byte[], byte[]> unary(String name) {
        return MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(MethodType.UNARY)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
                .setRequestMarshaller(BytesMarshaller.INSTANCE)
                .setResponseMarshaller(BytesMarshaller.INSTANCE)
                .build();
    }
}
