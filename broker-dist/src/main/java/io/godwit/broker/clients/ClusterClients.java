package io.godwit.broker.clients;

import io.godwit.api.port.BanAdmin;
import io.godwit.api.port.ClientAdmin;
import io.godwit.api.port.SubscribeOnBehalf;
import io.godwit.api.port.SubscriptionAdmin;
import io.godwit.inbox.client.SessionCatalog;
import io.godwit.mqtt.MqttServer;
import io.grpc.ServerServiceDefinition;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The clients of this node and of its cluster: {@link #service} is what other nodes ask, {@link #admin} asks all. Has a
 * thread that reads, merges and writes pages, none while nobody asks; what waits for it is bounded by the questions
 * that may be under way. Made and closed by the thread that wires the broker.
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
     * @param topics whom topics go to on this node
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

    /** For the node's RPC server. */
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
     * Bans of operators, and those that nodes have made by themselves.
     *
     * @param nowMillis wall time
     */
    public BanAdmin bans(BanAdmin ofOperators, LongSupplier nowMillis) {
        return new BansOverNodes(ofOperators, all, nowMillis);
    }

    /** What is read or written is ended, and all else fails. */
    @Override
    public void close() {
        thread.shutdown(); // what waits is not thrown away: somebody waits for it
    }
}
