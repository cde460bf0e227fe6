package io.godwit.broker.start;

import io.godwit.api.ApiPorts;
import io.godwit.api.ApiServer;
import io.godwit.api.port.ApiCounts;
import io.godwit.api.port.FileWatch;
import io.godwit.api.port.access.LocalCallers;
import io.godwit.api.port.figure.MetricsSource;
import io.godwit.broker.admin.http.LocalApi;
import io.godwit.broker.api.LogbackAudit;
import io.godwit.broker.api.LogbackLevels;
import io.godwit.broker.api.NodeAdmin;
import io.godwit.broker.api.NodeHealth;
import io.godwit.broker.config.WatchedFile;
import io.godwit.broker.effective.ApiSettings;
import io.godwit.broker.effective.AuthProviders;
import io.godwit.broker.effective.BrokerConfig;
import io.godwit.cluster.trust.LocalPeers;
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
 * The HTTP API of a {@code Broker}. It opens as soon as the broker owns the data directory, so that the health can be
 * read while the node waits for others, and closes last. Does nothing when it is switched off. Used by the threads that
 * start and close the broker.
 */
public final class BrokerApi implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerApi.class);

    private final BrokerConfig config;
    private final Path data;
    private final MetricsSource metrics;
    private final LogbackAudit audit;
    private final ApiCounts counts;
    private final ServedPorts ports;
    private final NodeHealth health = new NodeHealth();
    private final NodeAdmin admin = new NodeAdmin(health);
    private @Nullable ApiServer server;
    private String listens = "";

    /** @param audit closed with this */
    public BrokerApi(
            BrokerConfig config,
            Path data,
            MetricsSource metrics,
            LogbackAudit audit,
            ApiCounts counts,
            ServedPorts ports) {
        this.config = config;
        this.data = data;
        this.metrics = metrics;
        this.audit = audit;
        this.counts = counts;
        this.ports = ports;
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
                        Optional.of(LatePorts.stores(ports.stores)),
                        Optional.of(LatePorts.settings(ports.settings)),
                        Optional.of(LatePorts.clients(ports.clients)),
                        Optional.of(LatePorts.sessions(ports.sessions)),
                        Optional.of(LatePorts.subscriptions(ports.subscriptions)),
                        Optional.of(LatePorts.onBehalf(ports.onBehalf)),
                        Optional.of(LatePorts.publisher(ports.publisher)),
                        Optional.of(LatePorts.retained(ports.retained)),
                        Optional.of(LatePorts.delayed(ports.delayedMessages)),
                        Optional.of(metrics),
                        Optional.of(LatePorts.figures(ports.figures)),
                        Optional.of(new LogbackLevels()),
                        Optional.of(LatePorts.history(ports.history)),
                        Optional.of(LatePorts.bans(ports.bans)),
                        Optional.of(LatePorts.tokens(ports.tokens)),
                        AuthProviders.isFile(config) ? Optional.of(LatePorts.users(ports.users)) : Optional.empty(),
                        Optional.of(LatePorts.watches(ports.watches)),
                        Optional.of(LatePorts.top(ports.top)),
                        Optional.of(() -> ports.webSockets.get().orElse(List.of())),
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
    public List<String> lines() {
        return listens.isEmpty() ? List.of() : List.of("API on " + listens);
    }

    void waits(String what) {
        health.waiting(what);
    }

    /** Called when the stores are open. */
    public void opened(KvNode node) {
        admin.opened(node.operations(), node::health);
        health.lacks(admin::lacks);
    }

    /**
     * Called on a node of a cluster.
     *
     * @param lack says why this node acknowledges nothing; empty while it does
     */
    public void joins(Supplier<String> lack) {
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
    public void serves() {
        health.look();
        health.phase(NodeHealth.Phase.SERVING);
    }

    /** Called when clients should go to other nodes. */
    public void stops() {
        health.phase(NodeHealth.Phase.STOPPING);
    }

    /** Called when the stores are about to be closed. */
    public void storesClose() {
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
