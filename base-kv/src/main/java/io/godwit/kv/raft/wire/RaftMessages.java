package io.godwit.kv.raft.wire;

import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.InstallSnapshotRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.InstallSnapshotResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.ReadIndexRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.ReadIndexResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.TimeoutNowRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.TimeoutNowResponse;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.godwit.cluster.rpc.BytesMarshaller;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Map;

/**
 * The gRPC methods that carry JRaft's requests, as JRaft's own protobuf messages.
 *
 * <pre>
 * godwit.Raft/vote, canvass, installSnapshot, timeoutNow, readIndex    one request, one response
 * godwit.Raft/append                                                   a stream in each direction: long number
 *                                                                      | AppendEntriesRequest or -Response
 * </pre>
 *
 * Appends use a stream because separate calls overtake each other, and an append that arrives before its predecessor is
 * refused.
 */
public final class RaftMessages {
    static final String SERVICE = "godwit.Raft";

    static final MethodDescriptor<Message, Message> VOTE =
            unary("vote", RequestVoteRequest.getDefaultInstance(), RequestVoteResponse.getDefaultInstance());
    /** Asks whether the voter would vote, see {@code Canvass}. */
    static final MethodDescriptor<Message, Message> CANVASS =
            unary("canvass", RequestVoteRequest.getDefaultInstance(), RequestVoteResponse.getDefaultInstance());

    static final MethodDescriptor<Message, Message> INSTALL_SNAPSHOT = unary(
            "installSnapshot",
            InstallSnapshotRequest.getDefaultInstance(),
            InstallSnapshotResponse.getDefaultInstance());
    static final MethodDescriptor<Message, Message> TIMEOUT_NOW =
            unary("timeoutNow", TimeoutNowRequest.getDefaultInstance(), TimeoutNowResponse.getDefaultInstance());
    static final MethodDescriptor<Message, Message> READ_INDEX =
            unary("readIndex", ReadIndexRequest.getDefaultInstance(), ReadIndexResponse.getDefaultInstance());

    static final MethodDescriptor<Numbered, Numbered> APPEND = MethodDescriptor.<Numbered, Numbered>newBuilder()
            .setType(MethodType.BIDI_STREAMING)
            .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "append"))
            .setRequestMarshaller(new NumberedMarshaller(AppendEntriesRequest.getDefaultInstance()))
            .setResponseMarshaller(new NumberedMarshaller(AppendEntriesResponse.getDefaultInstance()))
            .build();

    private static final Map<Class<?>, MethodDescriptor<Message, Message>> BY_REQUEST = Map.of(
            RequestVoteRequest.class, VOTE,
            InstallSnapshotRequest.class, INSTALL_SNAPSHOT,
            TimeoutNowRequest.class, TIMEOUT_NOW,
            ReadIndexRequest.class, READ_INDEX);

    private RaftMessages() {}

    /**
     * A message of the append stream.
     *
     * @param number ties an answer to its request; chosen by the sender
     */
    record Numbered(long number, Message message) {}

    /** The method for a request other than an append. */
    public static MethodDescriptor<Message, Message> methodFor(Message request) {
        MethodDescriptor<Message, Message> method = BY_REQUEST.get(request.getClass());
        if (method == null) {
            throw new IllegalArgumentException(
                    "no method for " + request.getClass().getName());
        }
        return method;
    }

    /**
     * Whether a leader asks where its log and the follower's agree, as it does before its first entries: there are no
     * entries but, unlike in a heartbeat, there is data of zero bytes.
     */
    public static boolean isProbe(AppendEntriesRequest append) {
        return append.getEntriesCount() == 0 && append.hasData();
    }

    private static MethodDescriptor<Message, Message> unary(String name, Message request, Message response) {
        return MethodDescriptor.<Message, Message>newBuilder()
                .setType(MethodType.UNARY)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
                .setRequestMarshaller(new ProtobufMarshaller(request))
                .setResponseMarshaller(new ProtobufMarshaller(response))
                .build();
    }

    private static Message parse(Message type, byte[] bytes, int offset) {
        try {
            // partial, because an error lacks the fields that its response requires
            return type.getParserForType().parsePartialFrom(bytes, offset, bytes.length - offset);
        } catch (InvalidProtocolBufferException e) {
            throw Status.INTERNAL
                    .withDescription("no " + type.getClass().getSimpleName() + ": " + e.getMessage())
                    .withCause(e)
                    .asRuntimeException();
        }
    }

    private record ProtobufMarshaller(Message type) implements Marshaller<Message> {
        @Override
        public InputStream stream(Message value) {
            return BytesMarshaller.INSTANCE.stream(value.toByteArray());
        }

        @Override
        public Message parse(InputStream stream) {
            return RaftMessages.parse(type, BytesMarshaller.INSTANCE.parse(stream), 0);
        }
    }

    private record NumberedMarshaller(Message type) implements Marshaller<Numbered> {
        @Override
        public InputStream stream(Numbered value) {
            byte[] message = value.message().toByteArray();
            byte[] framed = ByteBuffer.allocate(Long.BYTES + message.length)
                    .putLong(value.number())
                    .put(message)
                    .array();
            return BytesMarshaller.INSTANCE.stream(framed);
        }

        @Override
        public Numbered parse(InputStream stream) {
            byte[] framed = BytesMarshaller.INSTANCE.parse(stream);
            if (framed.length < Long.BYTES) {
                throw Status.INTERNAL
                        .withDescription("append of " + framed.length + " bytes")
                        .asRuntimeException();
            }
            return new Numbered(ByteBuffer.wrap(framed).getLong(), RaftMessages.parse(type, framed, Long.BYTES));
        }
    }
}
