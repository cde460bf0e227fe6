package io.godwit.api;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.Page;
import io.godwit.api.port.WebSocketSource.WebSocketListener;
import io.godwit.api.port.client.ClientAdmin;
import io.godwit.api.port.client.ClientFilter;
import io.godwit.api.port.client.ClientReference;
import io.godwit.api.port.client.ClientView;
import io.godwit.api.port.cluster.ClusterAdmin;
import io.godwit.api.port.cluster.HealthView;
import io.godwit.api.port.cluster.Liveness;
import io.godwit.api.port.cluster.LogLevels;
import io.godwit.api.port.cluster.NodeView;
import io.godwit.api.port.cluster.RangeView;
import io.godwit.api.port.cluster.StoreView;
import io.godwit.api.port.figure.HistorySource;
import io.godwit.api.port.figure.MetricsSource;
import io.godwit.api.port.figure.NodeFigures;
import io.godwit.api.port.figure.NodeHistory;
import io.godwit.api.port.figure.Scrape;
import io.godwit.api.port.figure.ScrapeFormat;
import io.godwit.api.port.figure.StatsSource;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A broker in memory behind all ports of the API; a test sets the values it needs. Thread-safe. */
final class FakeNode implements ClusterAdmin, ClientAdmin, StatsSource, HistorySource, MetricsSource, LogLevels {
    static final String ID = "node-a";
    static final String OTHER = "node-b";

    final FakeSessions sessions = new FakeSessions();
    final FakeStores stores = new FakeStores();
    final FakeDelayed delayed = new FakeDelayed();
    final FakeSettings settings = new FakeSettings();
    final FakeMessages messages = new FakeMessages();
    final FakeRecords records = new FakeRecords();
    final FakeUsers users = new FakeUsers();
    final FakeWatches watches = new FakeWatches();
    final FakeTop top = new FakeTop();
    final FakeAudit audit = new FakeAudit();
    final FakeCounts counts = new FakeCounts();
    volatile List<WebSocketListener> webSockets = List.of();
    final SortedMap<ClientReference, ClientView> clients = new ConcurrentSkipListMap<>();
    final List<String> disconnected = new ArrayList<>();
    final AtomicInteger scrapes = new AtomicInteger();
    final Map<String, Level> levels = new ConcurrentSkipListMap<>(Map.of("io.godwit", Level.DEBUG));
    volatile HealthView health = new HealthView(List.of(), List.of());
    volatile List<String> missing = List.of();
    volatile boolean isStarting;
    /** What happens on the thread that asks for the nodes. */
    volatile Runnable beforeNodes = () -> {};

    volatile List<NodeView> nodes = List.of(
            new NodeView(ID, "10.0.0.1:1884", "1.0", "z1", Liveness.ALIVE, false, 2, 0.5, 100, 50, 3, 9, false, true),
            new NodeView(OTHER, "", "", "", Liveness.DOWN, true, 0, -1, 0, 0, 0, 9, false, false));
    final Map<String, List<RangeView>> ranges = new ConcurrentSkipListMap<>(Map.of(
            "dist",
            List.of(range("dist", 1, "", "m"), range("dist", 2, "m", "")),
            "inbox",
            List.of(
                    range("inbox", 1, "", "b"),
                    range("inbox", 2, "b", "d"),
                    range("inbox", 3, "d", "q"),
                    range("inbox", 4, "q", "x"),
                    range("inbox", 5, "x", ""))));
    volatile Map<String, Number> figures =
            Map.of("connections.count", 7L, "handshakings_rate.count", 1.25, "no.number", Double.NaN);
    volatile List<NodeHistory> history = List.of();
    /** Answers nothing about clients. */
    volatile boolean hangs;
    /** Answers nothing about one client. */
    volatile boolean hangsAboutOne;
    /** What it has not answered. */
    final List<CompletableFuture<?>> hanging = new CopyOnWriteArrayList<>();
    /** Whether no connection can be ended now. */
    volatile boolean isBusy;
    /** Does not answer whether it has ended a connection. */
    volatile boolean holdsDisconnects;
    /** The answers that it holds. */
    final List<CompletableFuture<ClusterAnswer<Boolean>>> heldDisconnects = new CopyOnWriteArrayList<>();
    /** A list from before this key finds nothing in its time, and has looked so far. */
    volatile ClientReference looksUpTo;

    void add(String tenant, String id, String userName, int protocol, boolean connected, long queued) {
        ClientView view = new ClientView(
                tenant,
                id,
                userName,
                connected ? "192.0.2.7" : "",
                connected ? 40_000 : 0,
                ID,
                connected ? "tcp 0.0.0.0:1883" : "",
                protocol,
                false,
                3_600,
                60,
                connected ? 1_700_000_000_000L : 0,
                connected,
                queued,
                1,
                2,
                3);
        clients.put(view.key(), view);
    }

    private void check() {
        if (isStarting) {
            throw new NotServingException("the node starts");
        }
    }

    @Override
    public List<NodeView> nodes() {
        check();
        beforeNodes.run();
        return nodes;
    }

    @Override
    public HealthView health() {
        return health;
    }

    @Override
    public List<StoreView> stores() {
        check();
        return List.of(
                new StoreView("dist", "serving", "", 3, 2, 0, 1_000),
                new StoreView("inbox", "serving", "", 3, 5, 1, 10));
    }

    @Override
    public Optional<List<RangeView>> ranges(String store) {
        check();
        return Optional.ofNullable(ranges.get(store));
    }

    private static RangeView range(String store, long id, String start, String end) {
        return range(store, id, start, end, ID, 1.5);
    }

    static RangeView range(String store, long id, String start, String end, String leader, double load) {
        return new RangeView(
                store,
                id,
                1,
                start,
                end,
                hex(start),
                hex(end),
                leader,
                7,
                List.of(ID, OTHER),
                List.of(),
                4_096,
                load,
                load + 1,
                "",
                List.of());
    }

    private static String hex(String key) {
        return HexFormat.of().formatHex(key.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public CompletableFuture<ClusterAnswer<Page<ClientView, ClientReference>>> clients(
            ClientFilter filter, ClientReference after, int limit, Duration within) {
        if (hangs) {
            CompletableFuture<ClusterAnswer<Page<ClientView, ClientReference>>> never = new CompletableFuture<>();
            hanging.add(never);
            return never;
        }
        List<ClientView> found = new ArrayList<>();
        for (ClientView client : clients.values()) {
            if (filter.matches(client) && (after == null || client.key().compareTo(after) > 0)) {
                found.add(client);
            }
        }
        if (looksUpTo != null && (after == null || after.compareTo(looksUpTo) < 0)) {
            return CompletableFuture.completedFuture(new ClusterAnswer<>(new Page<>(List.of(), looksUpTo), missing));
        }
        List<ClientView> page = found.subList(0, Math.min(limit, found.size()));
        ClientReference next = found.size() > limit ? page.get(page.size() - 1).key() : null;
        return CompletableFuture.completedFuture(new ClusterAnswer<>(new Page<>(page, next), missing));
    }

    @Override
    public CompletableFuture<ClusterAnswer<Optional<ClientView>>> client(ClientReference key, Duration within) {
        if (hangsAboutOne) {
            CompletableFuture<ClusterAnswer<Optional<ClientView>>> never = new CompletableFuture<>();
            hanging.add(never);
            return never;
        }
        return isStarting
                ? CompletableFuture.failedFuture(new NotServingException("the node starts"))
                : CompletableFuture.completedFuture(
                        new ClusterAnswer<>(Optional.ofNullable(clients.get(key)), missing));
    }

    @Override
    public synchronized CompletableFuture<ClusterAnswer<Boolean>> disconnect(
            ClientReference key, int reasonCode, Duration within) {
        if (isBusy) {
            return CompletableFuture.failedFuture(new NotServingException("too many questions"));
        }
        if (holdsDisconnects) {
            CompletableFuture<ClusterAnswer<Boolean>> held = new CompletableFuture<>();
            heldDisconnects.add(held);
            return held;
        }
        ClientView client = clients.get(key);
        if (client != null && client.connected()) {
            disconnected.add(key.tenant() + "/" + key.clientId() + " " + reasonCode);
            return CompletableFuture.completedFuture(new ClusterAnswer<>(true, missing));
        }
        return CompletableFuture.completedFuture(new ClusterAnswer<>(false, missing));
    }

    @Override
    public CompletableFuture<ClusterAnswer<List<NodeFigures>>> stats(Duration within) {
        return CompletableFuture.completedFuture(
                new ClusterAnswer<>(List.of(new NodeFigures(ID, "1@a", "Running", figures)), missing));
    }

    @Override
    public CompletableFuture<ClusterAnswer<List<NodeFigures>>> metrics(Duration within) {
        return CompletableFuture.completedFuture(new ClusterAnswer<>(
                List.of(new NodeFigures(ID, "1@a", "Running", Map.of("messages.publish", 11L))), missing));
    }

    @Override
    public CompletableFuture<ClusterAnswer<List<NodeHistory>>> history(long sinceMillis, Duration within) {
        return CompletableFuture.completedFuture(new ClusterAnswer<>(
                history.stream()
                        .map(node -> new NodeHistory(
                                node.id(),
                                node.name(),
                                node.boundsMillis(),
                                node.samples().stream()
                                        .filter(sample -> sample.atMillis() > sinceMillis)
                                        .toList()))
                        .toList(),
                missing));
    }

    @Override
    public Map<String, Number> sum(List<NodeFigures> figures) {
        Map<String, Number> sums = new TreeMap<>();
        figures.forEach(node -> node.figures()
                .forEach((name, value) -> sums.merge(name, value, (a, b) -> a.doubleValue() + b.doubleValue())));
        return sums;
    }

    @Override
    public Scrape scrape(ScrapeFormat format) {
        scrapes.incrementAndGet();
        return new Scrape(format.contentType(), "godwit_up 1\n".getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public Map<String, Level> levels() {
        return levels;
    }

    @Override
    public Optional<String> set(String logger, Level level) {
        if (!logger.startsWith("io.godwit")) {
            return Optional.of("is no logger of the broker");
        }
        levels.put(logger, level);
        return Optional.empty();
    }
}
