package io.godwit.broker.clients;

import io.godwit.api.port.access.BanAdmin;
import io.godwit.api.port.client.ClientAdmin;
import io.godwit.api.port.client.SubscribeOnBehalf;
import io.godwit.api.port.client.SubscriptionAdmin;
import io.godwit.broker.clients.node.NodeClients;
import io.godwit.broker.clients.node.OwnClients;
import io.godwit.broker.clients.node.TopicLookup;
import io.godwit.broker.clients.remote.ClientsService;
import io.godwit.inbox.client.catalog.SessionCatalog;
import io.godwit.mqtt.MqttServer;
import io.grpc.ServerServiceDefinition;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The clients of the cluster: {@link #service} answers other nodes, {@link #admin} asks all nodes. A thread that
 * decodes, merges and encodes pages exists only while there are questions; its queue is bounded by the number of
 * questions that may be under way. Created and closed by the thread that wires the broker.
 */
public final class ClusterClients implements AutoCloseable {
    private static final long IDLE_SECONDS = 10;

    private final ThreadPoolExecutor thread =
            new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                Thread made = new Thread(task, "clients");
                made.setDaemon(true);
                return made;
            });

    private final ServerServiceDefinition service;
    private final AllNodes all;
    private final ClientAdmin admin;
    private final SubscriptionAdmin subscriptions;
    private final SubscribeOnBehalf onBehalf;

    /**
     * @param topics finds the receivers of topics in the routes of this node
     * @param catalog the stored sessions of all nodes
     */
    public ClusterClients(MqttServer server, TopicLookup topics, SessionCatalog catalog, ClusterNodes nodes) {
        thread.allowCoreThreadTimeOut(true);
        NodeClients own = new OwnClients(server.clients(), server.bans(), topics, thread);
        this.service = new ClientsService(own, thread).definition();
        this.all = new AllNodes(nodes, own, thread);
        this.admin = new ClientsOverNodes(all);
        this.subscriptions = new ReceiversOverNodes(all, catalog, topics, thread);
        this.onBehalf = new SubscribersOverNodes(all, catalog, server::storedSubscriber, server.hasMountPoints());
    }

    /** The service for the node's RPC server. */
    public ServerServiceDefinition service() {
        return service;
    }

    public ClientAdmin admin() {
        return admin;
    }

    public SubscriptionAdmin subscriptions() {
        return subscriptions;
    }

    public SubscribeOnBehalf onBehalf() {
        return onBehalf;
    }

    /**
     * Bans of operators and automatic ones.
     *
     * @param nowMillis wall time
     */
    public BanAdmin bans(BanAdmin ofOperators, LongSupplier nowMillis) {
        return new BansOverNodes(ofOperators, all, nowMillis);
    }

    /** Lets tasks under way end; all later ones fail. */
    @Override
    public void close() {
        thread.shutdown(); // waiting tasks still run: somebody waits for them
    }
}
