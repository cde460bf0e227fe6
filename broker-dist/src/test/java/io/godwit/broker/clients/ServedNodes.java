package io.godwit.broker.clients;

import io.godwit.cluster.rpc.LocalAccess;
import io.godwit.cluster.rpc.LocalRpcServer;
import io.godwit.cluster.rpc.RpcConnection;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ServerCalls;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The node {@code a}, which asks, and other nodes, which it reaches over gRPC. Changed by the test's thread alone. */
public final class ServedNodes implements ClusterNodes {
    private final Path directory;
    private final Map<String, Channel> channels = new ConcurrentHashMap<>();
    private final Set<String> others = new TreeSet<>();
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private @Nullable Error failure;

    /** @param directory for the sockets */
    public ServedNodes(Path directory) {
        this.directory = directory;
    }

    /** Adds a node that offers this service. */
    public void serve(String id, ServerServiceDefinition service) throws Exception {
        Path file = directory.resolve(id);
        opened.push(LocalRpcServer.start(List.of(service), file));
        RpcConnection connection = RpcConnection.local(LocalAccess.read(file));
        opened.push(connection);
        channels.put(id, connection.channel());
        others.add(id);
    }

    /** A service with this answer to every question, valid or not; counts the questions. */
    public static ServerServiceDefinition answering(
            String service, MethodDescriptor<byte[], byte[]> read, byte[] answer, AtomicInteger questions) {
        return ServerServiceDefinition.builder(service)
                .addMethod(read, ServerCalls.asyncUnaryCall((request, caller) -> {
                    questions.incrementAndGet();
                    caller.onNext(answer);
                    caller.onCompleted();
                }))
                .build();
    }

    /** Closes this, too, before what was opened earlier. */
    public void closeLater(AutoCloseable resource) {
        opened.push(resource);
    }

    /** The nodes remain members, but cannot be reached. */
    public void disconnect() {
        channels.clear();
    }

    /** Only {@code a} remains a member. */
    public void removeOthers() {
        others.clear();
    }

    /** From now on the members cannot be listed. */
    public void failWith(Error error) {
        failure = error;
    }

    @Override
    public String self() {
        return "a";
    }

    @Override
    public Set<String> others() {
        if (failure != null) {
            throw failure;
        }
        return others;
    }

    @Override
    public @Nullable Channel to(String nodeId) {
        return channels.get(nodeId);
    }

    /** Closes the connections and servers, the latest first. */
    public void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }
}
