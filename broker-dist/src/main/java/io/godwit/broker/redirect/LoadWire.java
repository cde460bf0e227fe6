package io.godwit.broker.redirect;

import com.google.protobuf.InvalidProtocolBufferException;
import io.godwit.broker.redirect.wire.LoadAnswer;
import io.godwit.broker.redirect.wire.LoadRequest;
import io.godwit.cluster.rpc.BytesMarshaller;
import io.godwit.plugin.redirect.NodeLoad;
import io.godwit.plugin.redirect.Placement;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import java.util.Optional;

/** Encodes the loads of nodes; {@code loads_protocol.proto} defines the messages. */
final class LoadWire {
    static final int VERSION = 1;
    static final String SERVICE = "godwit.Loads";
    /** Bound of a request or an answer, with space for fields of later versions. */
    static final int MAX_BYTES = 4 * Placement.MAX_REFERENCE_CHARS;

    static final MethodDescriptor<byte[], byte[]> READ = MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodType.UNARY)
            .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "read"))
            .setRequestMarshaller(BytesMarshaller.INSTANCE)
            .setResponseMarshaller(BytesMarshaller.INSTANCE)
            .build();

    private LoadWire() {}

    static byte[] request() {
        return LoadRequest.newBuilder().setVersion(VERSION).build().toByteArray();
    }

    /** @throws io.grpc.StatusRuntimeException if the request is invalid or of an unsupported version */
    static void check(byte[] request) {
        try {
            int version = request.length > MAX_BYTES
                    ? -1
                    : LoadRequest.parseFrom(request).getVersion();
            if (version != VERSION) {
                throw Status.FAILED_PRECONDITION
                        .withDescription("the node answers version " + VERSION + " of questions about its load, not "
                                + Integer.toUnsignedString(version))
                        .asRuntimeException();
            }
        } catch (InvalidProtocolBufferException e) {
            throw Status.INVALID_ARGUMENT.withDescription(e.getMessage()).asRuntimeException();
        }
    }

    static byte[] answer(NodeLoad load, boolean isOpen) {
        return LoadAnswer.newBuilder()
                .setConnections(load.connections())
                .setServerReference(load.serverReference())
                .setIsOpen(isOpen)
                .build()
                .toByteArray();
    }

    /**
     * Decodes the answer of the node {@code id}; empty if no client may be sent there.
     *
     * @throws InvalidProtocolBufferException if it is no such message
     * @throws IllegalArgumentException for an impossible value
     */
    static Optional<NodeLoad> load(String id, byte[] answer) throws InvalidProtocolBufferException {
        LoadAnswer read = LoadAnswer.parseFrom(answer);
        if (read.getConnections() < 0) {
            throw new IllegalArgumentException(Long.toUnsignedString(read.getConnections()) + " connections");
        }
        String reference = read.getServerReference();
        if (!reference.isEmpty()) {
            Placement.checked(reference);
        }
        return read.getIsOpen() ? Optional.of(new NodeLoad(id, reference, read.getConnections())) : Optional.empty();
    }
}
