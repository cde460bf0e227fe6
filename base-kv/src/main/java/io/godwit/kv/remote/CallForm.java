package io.godwit.kv.remote;

import io.godwit.cluster.rpc.BytesMarshaller;
import io.godwit.kv.protocol.NodeProtocol;
import io.godwit.kv.protocol.ProtobufCodec;
import io.godwit.kv.protocol.WireCodec;
import io.godwit.kv.protocol.legacy.LegacyCalls;
import io.godwit.kv.wire.CallAnswer;
import io.godwit.kv.wire.CallRequest;
import io.grpc.MethodDescriptor;
import java.util.List;

/** How a stream of calls looks in a version of the protocol between nodes. */
record CallForm(
        MethodDescriptor<byte[], byte[]> method, WireCodec<CallRequest> requests, WireCodec<CallAnswer> answers) {
    static final String SERVICE = "godwit.Ranges";

    private static final CallForm PROTOBUF = new CallForm(
            method("stream"), new ProtobufCodec<>(CallRequest.parser()), new ProtobufCodec<>(CallAnswer.parser()));
    private static final CallForm LEGACY = new CallForm(method("calls"), LegacyCalls.REQUESTS, LegacyCalls.ANSWERS);

    private static MethodDescriptor<byte[], byte[]> method(String name) {
        return MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
                .setRequestMarshaller(BytesMarshaller.INSTANCE)
                .setResponseMarshaller(BytesMarshaller.INSTANCE)
                .build();
    }

    /** The form of an agreed version. */
    static CallForm of(int version) {
        return version < NodeProtocol.PROTOBUF ? LEGACY : PROTOBUF;
    }

    /** The forms that a process with these versions serves. */
    static List<CallForm> servedBy(NodeProtocol own) {
        return own.served(LEGACY, PROTOBUF);
    }
}
