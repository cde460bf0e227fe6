package io.godwit.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.godwit.broker.admin.AdminInProcess;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.it.broker.AdminCalls;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.it.kv.fault.Links;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Packaged brokers on ports of the loopback address that are one cluster, and what {@code bin/godwit-admin} tells of it
 * and does to it. A session is served by the node that leads its range, so this also tells which one that is. Used by
 * one thread at a time.
 */
public final class BrokerCluster implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    /** What a command ends with when the node refuses, and when what it was told is not so any more. */
    private static final int REFUSED = 4;

    private static final int STALE = 5;

    private final Path directory;
    private final List<BrokerProcess> nodes = new ArrayList<>();
    private final List<String> addresses = new ArrayList<>();
    private final List<String> ids = new ArrayList<>();

    /** How a command finds the cluster. */
    public enum Way {
        /** By the data directory of a broker of this machine. */
        DATA,
        /** By a node's RPC address, as from another machine. */
        RPC
    }

    /**
     * What came of a command.
     *
     * @param text on standard output
     * @param told on standard error
     */
    public record Answer(int code, String text, String told) {}

    /**
     * A range as {@code ranges} lists it.
     *
     * @param end empty for none
     * @param leader store id, empty while there is none
     */
    public record RangeLine(
            String id, String start, String end, String leader, List<String> voters, List<String> learners) {
        static RangeLine of(JsonObject range) {
            return new RangeLine(
                    range.get("id").getAsString(),
                    range.get("start").getAsString(),
                    range.has("end") && !range.get("end").isJsonNull()
                            ? range.get("end").getAsString()
                            : "",
                    range.get("leader").getAsString(),
                    texts(range, "voters"),
                    texts(range, "learners"));
        }

        private static List<String> texts(JsonObject range, String name) {
            return range.getAsJsonArray(name).asList().stream()
                    .map(JsonElement::getAsString)
                    .toList();
        }

        public boolean contains(String key) {
            return start.compareTo(key) <= 0 && (end.isEmpty() || key.compareTo(end) < 0);
        }

        public boolean hasReplicaOn(String storeId) {
            return voters.contains(storeId) || learners.contains(storeId);
        }
    }

    /** @param directory for all of them; what is there before goes on */
    public BrokerCluster(Path directory, int size) throws IOException {
        this(directory, size, null);
    }

    /** @param links that join them; null for the loopback address, and links that nothing cuts */
    public BrokerCluster(Path directory, int size, @Nullable Links links) throws IOException {
        this(directory, size, links, size);
    }

    /** @param founders which are started first; the others join them later */
    public BrokerCluster(Path directory, int size, @Nullable Links links, int founders) throws IOException {
        this.directory = directory;
        List<String> seeds = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            String host = links == null ? "127.0.0.1" : links.address(i);
            seeds.add(host + ':' + Ports.free().getPort());
            addresses.add(host + ':' + Ports.free().getPort());
        }
        for (int i = 0; i < size; i++) {
            String host = links == null ? "127.0.0.1" : links.address(i);
            BrokerProcess node = new BrokerProcess(directory.resolve("n" + i))
                    .setting(
                            "clusterConfig",
                            "{env: it, host: " + host + ", port: " + port(seeds.get(i)) + ", rpcPort: "
                                    + port(addresses.get(i)) + ", seedEndpoints: \""
                                    + String.join(",", seeds.subList(0, founders)) + '"'
                                    + (links == null ? "" : ", tls: {plain: true}") + "}")
                    .property("inbox_store_initial_ranges", 1);
            if (links != null) {
                node.inNetwork(links.prefix(i), host);
                if (links.proxyPort(i) != 0) {
                    node.throughProxy(links.proxyPort(i));
                }
            }
            nodes.add(i == 0 ? node : node.joining());
        }
    }

    /**
     * Lets ranges have their voters soon after the start. By default a node gets none until it has been a member for
     * half a minute, which is of no use where all start together. Else the balancers are the usual ones.
     */
    public BrokerCluster votersSoon() {
        String store = "{balanceSettings: [replica-count.settleSeconds=1]}";
        for (BrokerProcess node : nodes) {
            node.setting("storeConfig", "{dist: " + store + ", inbox: " + store + ", retain: " + store + "}");
        }
        return this;
    }

    private static String port(String address) {
        return address.substring(address.lastIndexOf(':') + 1);
    }

    /** Has all of them start at once; the first one begins the cluster, unless it has data. */
    public void start() throws IOException {
        start(nodes.size());
    }

    /** The same with the first ones of them. */
    public void start(int count) throws IOException {
        for (BrokerProcess node : nodes.subList(0, count)) {
            node.launch();
        }
        for (BrokerProcess node : nodes.subList(0, count)) {
            node.awaitReady(PATIENCE);
        }
        for (int node = 0; node < count; node++) {
            ids.add(idNow(node));
        }
    }

    /** The next one joins those that were started. */
    public void startNext() throws IOException {
        int next = ids.size();
        nodes.get(next).launch();
        nodes.get(next).awaitReady(PATIENCE);
        ids.add(idNow(next));
    }

    /** A node has lost its data, and has another store id since; returns the one before. */
    public String wiped(int node) throws IOException {
        return ids.set(node, idNow(node));
    }

    /** The store id of a node that runs, as it says itself. */
    private String idNow(int node) throws IOException {
        if (nodes.get(node).isInNetwork()) {
            return done(Way.DATA, node, "members").get("self").getAsString();
        }
        try (AdminCalls calls = new AdminCalls(nodes.get(node))) {
            return calls.self();
        }
    }

    public List<BrokerProcess> nodes() {
        return List.copyOf(nodes);
    }

    public BrokerProcess node(int number) {
        return nodes.get(number);
    }

    /** The store id of a node. */
    public String id(int node) {
        return ids.get(node);
    }

    /** Where a node's RPC is reached. */
    public String rpcAddress(int node) {
        return addresses.get(node);
    }

    // --- what an operator does

    /**
     * Runs a command of {@code bin/godwit-admin}, with {@code --json}, through one node: in this process, unless the
     * node has another network. {@link BrokerProcess#admin} runs the script.
     */
    public Answer admin(Way way, int node, String... command) throws IOException {
        List<String> words = new ArrayList<>(List.of(command));
        words.add("--json");
        words.addAll(
                way == Way.DATA
                        ? List.of("--data", nodes.get(node).data().toString())
                        : List.of("--rpc", addresses.get(node)));
        if (nodes.get(node).isInNetwork()) {
            Path out = directory.resolve("admin.out");
            Path err = directory.resolve("admin.err");
            int code = nodes.get(node).adminApart(out, err, words.toArray(String[]::new));
            return new Answer(code, Files.readString(out), Files.readString(err));
        }
        AdminInProcess.Answer answer = AdminInProcess.run(words.toArray(String[]::new));
        return new Answer(answer.code(), answer.text(), answer.told());
    }

    /** The same for one that must succeed; returns what it prints. */
    public JsonObject done(Way way, int node, String... command) throws IOException {
        Answer answer = admin(way, node, command);
        assertThat(answer.code()).as("%s: %s", List.of(command), answer).isZero();
        return JsonParser.parseString(answer.text()).getAsJsonObject();
    }

    /**
     * The same for one that is asked for again when it is refused or stale at first, as when leaders have to be brought
     * together.
     */
    public JsonObject atLast(Way way, int node, String... command) throws IOException {
        Await looks = Await.atMost(PATIENCE);
        Answer answer = admin(way, node, command);
        while (answer.code() == REFUSED || answer.code() == STALE) {
            looks.again(answer::toString);
            answer = admin(way, node, command);
        }
        assertThat(answer.code()).as("%s: %s", List.of(command), answer).isZero();
        return JsonParser.parseString(answer.text()).getAsJsonObject();
    }

    /** The ranges of a store by their first keys, as one node sees them. Asked without the command where possible. */
    public List<RangeLine> ranges(int node, String store) throws IOException {
        return listed(node, store).asList().stream()
                .map(range -> RangeLine.of(range.getAsJsonObject()))
                .sorted(Comparator.comparing(RangeLine::start))
                .toList();
    }

    private JsonArray listed(int node, String store) throws IOException {
        if (nodes.get(node).isInNetwork()) { // a broker answers programs of its own network only
            return done(Way.DATA, node, "ranges", store).getAsJsonArray("ranges");
        }
        try (AdminCalls calls = new AdminCalls(nodes.get(node))) {
            return calls.rangesAsTold(store);
        }
    }

    /** Waits until all ranges of a store are so, and returns them. */
    public List<RangeLine> awaitRanges(int node, String store, String what, Predicate<List<RangeLine>> areSo)
            throws IOException {
        Await looks = Await.atMost(PATIENCE);
        while (true) {
            List<RangeLine> ranges = ranges(node, store);
            if (areSo.test(ranges)) {
                return ranges;
            }
            looks.again(() -> what + " of " + store + ", which are " + ranges);
        }
    }

    /** Waits until a store has so many ranges, each of them led, and with so many voters. */
    public List<RangeLine> awaitVoters(int node, String store, int ranges, int voters) throws IOException {
        return awaitRanges(
                node,
                store,
                ranges + " led ranges with " + voters + " voters",
                all -> all.size() == ranges
                        && all.stream()
                                .allMatch(range -> range.voters().size() == voters
                                        && !range.leader().isEmpty()));
    }

    /** Has a node lead a range, unless it does; asked for again until that node says that it leads. */
    public void lead(String store, RangeLine range, int leader) throws IOException {
        Await looks = Await.atMost(PATIENCE);
        String leads = range.leader();
        while (!leads.equals(id(leader))) {
            Answer answer = admin(Way.RPC, leader, "transfer", store, range.id(), "--to", id(leader));
            looks.again(() -> "node " + leader + " leads " + range + " of " + store + ": " + answer);
            leads = ranges(leader, store).stream()
                    .filter(each -> each.id().equals(range.id()))
                    .map(RangeLine::leader)
                    .findFirst()
                    .orElse("");
        }
    }

    // --- where sessions are

    /** Where the session of a client begins, in hexadecimal. */
    public static String keyOf(String clientId) {
        return HexFormat.of().formatHex(InboxKeys.prefix(TenantId.DEFAULT, new ClientId(clientId)));
    }

    /** The range that keeps the session of a client. */
    public RangeLine rangeOf(List<RangeLine> inbox, String clientId) {
        String key = keyOf(clientId);
        return inbox.stream()
                .filter(range -> range.contains(key))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no range has " + clientId + " of " + inbox));
    }

    /** The node that serves the session of a client, -1 for none. */
    public int homeOf(List<RangeLine> inbox, String clientId) {
        return ids.indexOf(rangeOf(inbox, clientId).leader());
    }

    /** A client id that begins so and is served by this node, which leads some of {@code inbox}. */
    public String clientAt(int node, List<RangeLine> inbox, String stem) {
        for (int i = 0; i < 10_000; i++) {
            if (homeOf(inbox, stem + '-' + i) == node) {
                return stem + '-' + i;
            }
        }
        throw new AssertionError("node " + node + " leads nothing of " + inbox);
    }

    @Override
    public void close() throws IOException {
        for (BrokerProcess node : nodes) {
            node.close();
        }
    }
}
