package io.godwit.broker.clients;

import io.godwit.api.port.client.ClientReference;
import io.godwit.broker.clients.node.MemoryClients;
import io.godwit.broker.clients.node.TopicLookup;
import io.godwit.broker.clients.remote.ClientsService;
import io.godwit.cluster.rpc.LocalAccess;
import io.godwit.cluster.rpc.LocalRpcServer;
import io.godwit.cluster.rpc.RpcConnection;
import io.godwit.dist.client.GroupInfo;
import io.godwit.dist.client.Receiver;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.dist.client.TopicReceivers;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import io.grpc.Channel;
import io.grpc.ServerServiceDefinition;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The node {@code a}, which asks, and {@code b} and {@code c}, which it reaches over gRPC. */
final class ThreeNodes implements ClusterNodes, AutoCloseable {
    final MemoryClients a = new MemoryClients();
    final MemoryClients b = new MemoryClients();
    final MemoryClients c = new MemoryClients();
    final MemoryCatalog catalog = new MemoryCatalog();
    final ExecutorService thread = Executors.newSingleThreadExecutor();
    final AllNodes asked = new AllNodes(this, a, thread);
    final ClientsOverNodes all = new ClientsOverNodes(asked);
    final ReceiversOverNodes receivers = new ReceiversOverNodes(asked, catalog, new NoGroups(), thread);
    /** Members beside {@code a}. */
    final Set<String> others = new TreeSet<>();

    private final Path directory;
    private final Map<String, Channel> channels = new HashMap<>();
    private final Map<String, LocalRpcServer> servers = new HashMap<>();
    private final Deque<Runnable> opened = new ArrayDeque<>();

    ThreeNodes(Path directory) throws IOException {
        this.directory = directory;
        serve("b", new ClientsService(b, thread).definition());
        serve("c", new ClientsService(c, thread).definition());
    }

    /** Connects to the others, so that later answers come within a short time. */
    void connect() throws Exception {
        all.client(new ClientReference("default", "nobody"), Duration.ofSeconds(30))
                .get(30, TimeUnit.SECONDS);
    }

    /** Adds a member, or replaces the service of one. */
    void serve(String node, ServerServiceDefinition service) throws IOException {
        Path file = directory.resolve(node + opened.size());
        LocalRpcServer server = LocalRpcServer.start(List.of(service), file);
        opened.push(server::close);
        servers.put(node, server);
        RpcConnection connection = RpcConnection.local(LocalAccess.read(file));
        opened.push(connection::close);
        channels.put(node, connection.channel());
        others.add(node);
    }

    void kill(String node) {
        servers.get(node).close();
    }

    void disconnect(String node) {
        channels.remove(node);
    }

    @Override
    public String self() {
        return "a";
    }

    @Override
    public Set<String> others() {
        return others;
    }

    @Override
    public @Nullable Channel to(String nodeId) {
        return channels.get(nodeId);
    }

    @Override
    public void close() {
        opened.forEach(Runnable::run);
        thread.shutdown();
    }

    /** Knows a single group of the tenant; other look-ups fail. */
    private static final class NoGroups implements TopicLookup {
        @Override
        public TopicReceivers receivers(TenantId tenant, String topic, int most) {
            throw new AssertionError("receivers");
        }

        @Override
        public TopicReceivers subscribers(TenantId tenant, TopicFilter filter, int most) {
            throw new AssertionError("subscribers");
        }

        @Override
        public @Nullable SubscriptionOptions options(TenantId tenant, TopicFilter filter, Receiver receiver) {
            throw new AssertionError("options");
        }

        @Override
        public List<GroupInfo> groups(
                TenantId tenant,
                @Nullable String shareName,
                @Nullable String filter,
                @Nullable String after,
                int most) {
            return List.of(new GroupInfo(new TopicFilter("g", "a/+"), 1, 2, 4));
        }
    }
}
