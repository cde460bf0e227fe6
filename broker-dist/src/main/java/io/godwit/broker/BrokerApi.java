package io.godwit.broker;

import io.godwit.api.ApiPorts;
import io.godwit.api.ApiServer;
import io.godwit.api.port.ApiCounts;
import io.godwit.api.port.BanAdmin;
import io.godwit.api.port.ClientAdmin;
import io.godwit.api.port.DelayedAdmin;
import io.godwit.api.port.FileWatch;
import io.godwit.api.port.HistorySource;
import io.godwit.api.port.LocalCallers;
import io.godwit.api.port.MessagePublisher;
import io.godwit.api.port.MetricsSource;
import io.godwit.api.port.RetainedAdmin;
import io.godwit.api.port.SessionAdmin;
import io.godwit.api.port.SettingsAdmin;
import io.godwit.api.port.StatsSource;
import io.godwit.api.port.StoreAdmin;
import io.godwit.api.port.SubscribeOnBehalf;
import io.godwit.api.port.SubscriptionAdmin;
import io.godwit.api.port.TokenAdmin;
import io.godwit.api.port.TopSource;
import io.godwit.api.port.UserAdmin;
import io.godwit.api.port.WatchSource;
import io.godwit.api.port.WebSocketSource;
import io.godwit.broker.admin.http.LocalApi;
import io.godwit.broker.api.LogbackAudit;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP API of a {@link Broker}. It opens as soon as the broker owns the data directory, so that the health can be
 * read while the node waits for others, and closes last. Does nothing when it is switched off. Used by the threads that
 * start and close the broker.
 */
final class BrokerApi implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerApi.class);

    private final BrokerConfig config;
    private final Path data;
    private final MetricsSource metrics;
    private final LogbackAudit audit;
    private final ApiCounts counts;
    private final Supplier<Optional<StoreAdmin>> stores;
    private final Supplier<Optional<SettingsAdmin>> settings;
    private final Supplier<Optional<ClientAdmin>> clients;
    private final Supplier<Optional<SessionAdmin>> sessions;
    private final Supplier<Optional<SubscriptionAdmin>> subscriptions;
    private final Supplier<Optional<SubscribeOnBehalf>> onBehalf;
    private final Supplier<Optional<MessagePublisher>> publisher;
    private final Supplier<Optional<RetainedAdmin>> retained;
    private final Supplier<Optional<DelayedAdmin>> delayed;
    private final Supplier<Optional<StatsSource>> figures;
    private final Supplier<Optional<HistorySource>> history;
    private final Supplier<Optional<BanAdmin>> bans;
    private final Supplier<Optional<TokenAdmin>> tokens;
    private final Supplier<Optional<UserAdmin>> users;
    private final Supplier<Optional<WatchSource>> watches;
    private final Supplier<Optional<TopSource>> top;
    private final WebSocketSource webSockets;
    private final NodeHealth health = new NodeHealth();
    private final NodeAdmin admin = new NodeAdmin(health);
    private @Nullable ApiServer server;
    private String listens = "";

    /**
     * @param audit closed with this
     * @param stores empty while the node starts; so are all suppliers after it
     */
    BrokerApi(
            BrokerConfig config,
            Path data,
            MetricsSource metrics,
            LogbackAudit audit,
            ApiCounts counts,
            Supplier<Optional<StoreAdmin>> stores,
            Supplier<Optional<SettingsAdmin>> settings,
            Supplier<Optional<ClientAdmin>> clients,
            Supplier<Optional<SessionAdmin>> sessions,
            Supplier<Optional<SubscriptionAdmin>> subscriptions,
            Supplier<Optional<SubscribeOnBehalf>> onBehalf,
            Supplier<Optional<MessagePublisher>> publisher,
            Supplier<Optional<RetainedAdmin>> retained,
            Supplier<Optional<DelayedAdmin>> delayed,
            Supplier<Optional<StatsSource>> figures,
            Supplier<Optional<HistorySource>> history,
            Supplier<Optional<BanAdmin>> bans,
            Supplier<Optional<TokenAdmin>> tokens,
            Supplier<Optional<UserAdmin>> users,
            Supplier<Optional<WatchSource>> watches,
            Supplier<Optional<TopSource>> top,
            WebSocketSource webSockets) {
        this.config = config;
        this.data = data;
        this.metrics = metrics;
        this.audit = audit;
        this.counts = counts;
        this.stores = stores;
        this.settings = settings;
        this.clients = clients;
        this.sessions = sessions;
        this.subscriptions = subscriptions;
        this.onBehalf = onBehalf;
        this.publisher = publisher;
        this.retained = retained;
        this.delayed = delayed;
        this.figures = figures;
        this.history = history;
        this.bans = bans;
        this.tokens = tokens;
        this.users = users;
        this.watches = watches;
        this.top = top;
        this.webSockets = webSockets;
    }

    /**
     * Opens the port.
     *
     * @throws IOException naming the wrong setting or the port in use
     */
    void open() throws IOException {
        LocalApi.remove(data); // left over from a killed process
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
                        Optional.of(LatePorts.stores(stores)),
                        Optional.of(LatePorts.settings(settings)),
                        Optional.of(LatePorts.clients(clients)),
                        Optional.of(LatePorts.sessions(sessions)),
                        Optional.of(LatePorts.subscriptions(subscriptions)),
                        Optional.of(LatePorts.onBehalf(onBehalf)),
                        Optional.of(LatePorts.publisher(publisher)),
                        Optional.of(LatePorts.retained(retained)),
                        Optional.of(LatePorts.delayed(delayed)),
                        Optional.of(metrics),
                        Optional.of(LatePorts.figures(figures)),
                        Optional.of(new LogbackLevels()),
                        Optional.of(LatePorts.history(history)),
                        Optional.of(LatePorts.bans(bans)),
                        Optional.of(LatePorts.tokens(tokens)),
                        AuthProviders.isFile(config) ? Optional.of(LatePorts.users(users)) : Optional.empty(),
                        Optional.of(LatePorts.watches(watches)),
                        Optional.of(LatePorts.top(top)),
                        Optional.of(webSockets),
                        audit,
                        counts,
                        connections -> peers(peers, connections),
                        BrokerApi::watch));
        try {
            InetSocketAddress bound = server.start();
            boolean hasTls = !config.api().tls().certFile().isEmpty();
            tellWhere(bound, hasTls);
            listens = (hasTls ? "https" : "http") + "://" + bound.getHostString() + ":" + bound.getPort();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("told to end", e);
        }
    }

    private static List<LocalCallers.Peer> peers(LocalPeers peers, List<LocalCallers.Ends> connections) {
        List<LocalPeers.Ends> ends = connections.stream()
                .map(each -> new LocalPeers.Ends(each.here(), each.there()))
                .toList();
        return peers.owners(ends).stream()
                .map(owner -> switch (owner) {
                    case ADMITTED -> LocalCallers.Peer.TRUSTED;
                    case STRANGER -> LocalCallers.Peer.ANOTHER_USER;
                    case UNKNOWN -> LocalCallers.Peer.UNKNOWN;
                })
                .toList();
    }

    /**
     * Writes the address for programs on this machine. They can be given a URL instead, so a full disk does not end the
     * start.
     */
    private void tellWhere(InetSocketAddress bound, boolean hasTls) {
        Optional<Path> certificate =
                hasTls ? Optional.ofNullable(config.file(config.api().tls().certFile())) : Optional.empty();
        try {
            LocalApi.of(ProcessHandle.current().pid(), bound, certificate).write(data);
        } catch (IOException e) {
            LOG.warn("godwit-admin needs --url, the file that names the API cannot be written: {}", e.toString());
        }
    }

    private static FileWatch watch(Path file) {
        WatchedFile watched = new WatchedFile(file);
        return watched::hasChanged;
    }

    /** The address for the terminal; empty when the API is off. */
    List<String> lines() {
        return listens.isEmpty() ? List.of() : List.of("API on " + listens);
    }

    void waits(String what) {
        health.waiting(what);
    }

    /** Called when the stores are open. */
    void opened(KvNode node) {
        admin.opened(node.operations(), node::health);
        health.lacks(admin::lacks);
    }

    /**
     * Called on a node of a cluster.
     *
     * @param lack says why this node acknowledges nothing; empty while it does
     */
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

    /** Called when the listeners are open. */
    void serves() {
        health.look();
        health.phase(NodeHealth.Phase.SERVING);
    }

    /** Called when clients should go to other nodes. */
    void stops() {
        health.phase(NodeHealth.Phase.STOPPING);
    }

    /** Called when the stores are about to be closed. */
    void storesClose() {
        admin.closing();
    }

    @Override
    public void close() {
        ApiServer opened = server;
        if (opened != null) {
            try {
                LocalApi.remove(data);
            } catch (IOException e) {
                LOG.warn("the file that names the API stays: {}", e.toString());
            }
            opened.close();
        }
        audit.close();
        health.close();
    }
}
