package io.godwit.kv.raft.snapshot;

import io.godwit.cluster.rpc.BytesMarshaller;
import io.godwit.kv.protocol.NodeProtocol;
import io.godwit.kv.protocol.ProtobufCodec;
import io.godwit.kv.protocol.WireCodec;
import io.godwit.kv.protocol.legacy.LegacySnapshots;
import io.godwit.kv.wire.SnapshotBytes;
import io.godwit.kv.wire.SnapshotListing;
import io.godwit.kv.wire.SnapshotPart;
import io.godwit.kv.wire.SnapshotRequest;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import java.util.List;

/**
 * How a node asks for the files of a snapshot, and for parts of them, in a version of the protocol between nodes.
 *
 * @param list a {@link SnapshotRequest}, answered by a {@link SnapshotListing}
 * @param read a {@link SnapshotPart}, answered by {@link SnapshotBytes}
 */
public record SnapshotForm(Ask<SnapshotRequest, SnapshotListing> list, Ask<SnapshotPart, SnapshotBytes> read) {
    static final String SERVICE = "godwit.Snapshot";

    private static final SnapshotForm PROTOBUF = new SnapshotForm(
            new Ask<>(
                    method("files"),
                    new ProtobufCodec<>(SnapshotRequest.parser()),
                    new ProtobufCodec<>(SnapshotListing.parser())),
            new Ask<>(
                    method("part"),
                    new ProtobufCodec<>(SnapshotPart.parser()),
                    new ProtobufCodec<>(SnapshotBytes.parser())));
    private static final SnapshotForm LEGACY = new SnapshotForm(
            new Ask<>(method("list"), LegacySnapshots.REQUESTS, LegacySnapshots.LISTINGS),
            new Ask<>(method("read"), LegacySnapshots.PARTS, LegacySnapshots.BYTES));

    /** One message each way. */
    public record Ask<Q, A>(MethodDescriptor<byte[], byte[]> method, WireCodec<Q> questions, WireCodec<A> answers) {}

    private static MethodDescriptor<byte[], byte[]> method(String name) {
        return MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(MethodType.UNARY)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
                .setRequestMarshaller(BytesMarshaller.INSTANCE)
                .setResponseMarshaller(BytesMarshaller.INSTANCE)
                .build();
    }

    /** The form of an agreed version. */
    public static SnapshotForm of(int version) {
        return version < NodeProtocol.PROTOBUF ? LEGACY : PROTOBUF;
    }

    /** The forms that a process with these versions serves. */
    static List<SnapshotForm> servedBy(NodeProtocol own) {
        return own.served(LEGACY, PROTOBUF);
    }
}
