package io.godwit.broker;

import io.godwit.api.ApiPorts;
import io.godwit.api.ApiServer;
import io.godwit.api.port.ClientAdmin;
import io.godwit.api.port.FileWatch;
import io.godwit.api.port.HistorySource;
import io.godwit.api.port.MessagePublisher;
import io.godwit.api.port.MetricsSource;
import io.godwit.api.port.RetainedAdmin;
import io.godwit.api.port.SessionAdmin;
import io.godwit.api.port.StatsSource;
import io.godwit.api.port.SubscriptionAdmin;
import io.godwit.broker.api.LogbackLevels;
import io.godwit.broker.api.NodeAdmin;
import io.godwit.broker.api.NodeHealth;
import io.godwit.broker.config.WatchedFile;
import io.godwit.cluster.LocalPeers;
import io.godwit.kv.KvNode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP API of a {@link Broker}: open from when the data directory is the broker's, so that health can be asked for
 * while the node waits for others, until all else is closed. Does nothing where it is switched off. Calls by the
 * threads that start and close the broker.
 */
final class BrokerApi implements AutoCloseable {
    private final BrokerConfig config;
    private final MetricsSource metrics;
    private final Supplier<Optional<ClientAdmin>> clients;
    private final Supplier<Optional<SessionAdmin>> sessions;
    private final Supplier<Optional<SubscriptionAdmin>> subscriptions;
    private final Supplier<Optional<MessagePublisher>> publisher;
    private final Supplier<Optional<RetainedAdmin>> retained;
    private final Supplier<Optional<StatsSource>> figures;
    private final Supplier<Optional<HistorySource>> history;
    private final NodeHealth health = new NodeHealth();
    private final NodeAdmin admin = new NodeAdmin(health);
    private @Nullable ApiServer server;
    private String listens = "";

    /**
     * @param clients empty while the node starts
     * @param sessions the same, and all others
     */
    BrokerApi(
            BrokerConfig config,
            MetricsSource metrics,
            Supplier<Optional<ClientAdmin>> clients,
            Supplier<Optional<SessionAdmin>> sessions,
            Supplier<Optional<SubscriptionAdmin>> subscriptions,
            Supplier<Optional<MessagePublisher>> publisher,
            Supplier<Optional<RetainedAdmin>> retained,
            Supplier<Optional<StatsSource>> figures,
            Supplier<Optional<HistorySource>> history) {
        this.config = config;
        this.metrics = metrics;
        this.clients = clients;
        this.sessions = sessions;
        this.subscriptions = subscriptions;
        this.publisher = publisher;
        this.retained = retained;
        this.figures = figures;
        this.history = history;
    }

    /**
     * Opens the port.
     *
     * @throws IOException naming the setting that does not fit, or a port that is taken
     */
    void open() throws IOException {
        if (!config.api().enable()) {
            return;
        }
        ApiSettings.check(config);
        LocalPeers peers = new LocalPeers();
        health.start();
        server = new ApiServer(
                ApiSettings.of(config),
                new ApiPorts(
                        admin,
                        Optional.of(LatePorts.clients(clients)),
                        Optional.of(LatePorts.sessions(sessions)),
                        Optional.of(LatePorts.subscriptions(subscriptions)),
                        Optional.of(LatePorts.publisher(publisher)),
                        Optional.of(LatePorts.retained(retained)),
                        Optional.of(metrics),
                        Optional.of(LatePorts.figures(figures)),
                        Optional.of(new LogbackLevels()),
                        Optional.of(LatePorts.history(history)),
                        peers::isAdmitted,
                        BrokerApi::watch));
        try {
            InetSocketAddress bound = server.start();
            boolean hasTls = !config.api().tls().certFile().isEmpty();
            listens = (hasTls ? "https" : "http") + "://" + bound.getHostString() + ":" + bound.getPort();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("told to end", e);
        }
    }

    private static FileWatch watch(Path file) {
        WatchedFile watched = new WatchedFile(file);
        return watched::hasChanged;
    }

    /** Where it listens, for people; none where it does not. */
    List<String> lines() {
        return listens.isEmpty() ? List.of() : List.of("API on " + listens);
    }

    void waits(String what) {
        health.waiting(what);
    }

    /** The stores are open. */
    void opened(KvNode node) {
        admin.opened(node.operations(), node::health);
        health.lacks(admin::lacks);
    }

    /** The node has others, and {@code lack} tells why it acknowledges nothing; empty while it does. */
    void joins(Supplier<String> lack) {
        health.lacks(() -> {
            List<String> lacks = new ArrayList<>(admin.lacks());
            String now = lack.get();
            if (!now.isEmpty()) {
                lacks.add("acknowledges nothing: " + now);
            }
            return lacks;
        });
    }

    /** The listeners are open. */
    void serves() {
        health.look();
        health.phase(NodeHealth.Phase.SERVING);
    }

    /** Clients should go elsewhere. */
    void stops() {
        health.phase(NodeHealth.Phase.STOPPING);
    }

    /** The stores are about to be closed. */
    void storesClose() {
        admin.closing();
    }

    @Override
    public void close() {
        ApiServer opened = server;
        if (opened != null) {
            opened.close();
        }
        health.close();
    }
}
