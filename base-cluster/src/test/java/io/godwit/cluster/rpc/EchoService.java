package io.godwit.cluster.rpc;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import java.util.concurrent.TimeUnit;

/** Answers with the bytes that it receives. */
public final class EchoService {
    private static final MethodDescriptor<byte[], byte[]> ECHO = MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName("test.Echo/echo")
            .setRequestMarshaller(BytesMarshaller.INSTANCE)
            .setResponseMarshaller(BytesMarshaller.INSTANCE)
            .build();

    public static final ServerServiceDefinition SERVICE = ServerServiceDefinition.builder("test.Echo")
            .addMethod(ECHO, ServerCalls.asyncUnaryCall((request, answer) -> {
                answer.onNext(request);
                answer.onCompleted();
            }))
            .build();

    private EchoService() {}

    public static byte[] call(Channel channel, byte[] request) {
        return ClientCalls.blockingUnaryCall(
                channel, ECHO, CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS), request);
    }
}
