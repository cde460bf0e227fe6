package io.godwit.broker.clients.remote;

import io.godwit.cluster.rpc.BytesMarshaller;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;

/** The methods that nodes call to ask about each other's clients; {@code clients_protocol.proto} defines them. */
public final class ClientMethods {
    public static final String SERVICE = "godwit.Clients";

    public static final MethodDescriptor<byte[], byte[]> PAGE = unary("page");
    public static final MethodDescriptor<byte[], byte[]> FIND = unary("find");
    public static final MethodDescriptor<byte[], byte[]> DISCONNECT = unary("disconnect");
    static final MethodDescriptor<byte[], byte[]> SUBSCRIPTIONS = unary("subscriptions");
    public static final MethodDescriptor<byte[], byte[]> RECEIVERS = unary("receivers");
    static final MethodDescriptor<byte[], byte[]> SUBSCRIBE = unary("subscribe");
    static final MethodDescriptor<byte[], byte[]> UNSUBSCRIBE = unary("unsubscribe");
    public static final MethodDescriptor<byte[], byte[]> BANS = unary("bans");
    public static final MethodDescriptor<byte[], byte[]> LIFT_BAN = unary("liftBan");

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
