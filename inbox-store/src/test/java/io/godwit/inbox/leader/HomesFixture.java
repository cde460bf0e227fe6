package io.godwit.inbox.leader;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.testing.MemoryLinks;
import io.godwit.inbox.carrier.InboxPeers;
import io.godwit.inbox.carrier.TestPeers;
import io.godwit.inbox.carrier.home.HomeSettings;
import io.godwit.inbox.carrier.peer.AgreedMembers;
import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.ContinueRequest;
import io.godwit.inbox.client.GroupOutcome;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.InboxClient;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.client.Will;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.leader.state.Surroundings;
import io.godwit.inbox.ledger.MovedSessions;
import io.godwit.inbox.ledger.QueueSettings;
import io.godwit.inbox.local.LocalHome;
import io.godwit.inbox.local.StoredInboxes;
import io.godwit.inbox.report.InboxReports;
import io.godwit.inbox.report.RecordCount;
import io.godwit.kv.client.Leaders;
import io.godwit.kv.client.Resend;
import io.godwit.kv.testing.InMemoryNode;
import io.godwit.kv.testing.InMemoryRangeHost;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The inbox store on several nodes, linked in memory, all on one thread. Node n leads range n, n + nodes, ... */
final class HomesFixture implements AutoCloseable {
    static final long ATTACHED_WAIT_MILLIS = 25_000;
    static final int MAX_QUEUED = 1000;
    static final int WILLS_PER_SECOND = 100;

    final InMemoryRangeHost host;
    final MemoryLinks.Net net = new MemoryLinks.Net();
    final List<Node> nodes = new ArrayList<>();
    /** Topics of wills that were published. */
    final List<String> wills = new ArrayList<>();

    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    /** Without those of stored copies. */
    final List<BrokerEvent> events = new ArrayList<>();

    private final HomeSettings settings;
    private final InboxReports reports = new InboxReports(
            new EventListener() {
                @Override
                public void onEvent(BrokerEvent event) {
                    events.add(event);
                }

                @Override
                public boolean isListening(Class<? extends BrokerEvent> kind) {
                    return kind != BrokerEvent.MessageQueued.class;
                }
            },
            meters);

    /** One process. */
    final class Node {
        final int number;
        final MemoryLinks links;
        /** Its knowledge of the agreed members. */
        final KnownMembers members = new KnownMembers();

        final InboxPeers peers;
        final InboxClient client;
        /** The node that it wrongly takes for the leader; null when it knows. */
        @Nullable
        Integer believes;

        Node(int number) {
            this.number = number;
            InMemoryNode store = host.node(number);
            Leaders leaders = new Believing(this, store);
            links = net.node(InMemoryNode.id(number), 1);
            peers = TestPeers.linked(
                    links,
                    leaders,
                    () -> new LocalHome(store, reports),
                    members,
                    HomesFixture.this.settings,
                    reports.waits(),
                    host);
            client = peers.client();
            net.join(links);
        }
    }

    /** A view of the agreed members, controlled by the test. */
    static final class KnownMembers implements AgreedMembers {
        private final Map<String, Long> serving = new HashMap<>();
        private long revision;

        /** The node serves since this revision, the newest one known. */
        void serves(int node, long since) {
            serving.put(InMemoryNode.id(node), since);
            revision = since;
        }

        void excludes(int node, long revision) {
            serving.remove(InMemoryNode.id(node));
            this.revision = revision;
        }

        @Override
        public long revision() {
            return revision;
        }

        @Override
        public boolean isPast(String nodeId, long incarnation, long since) {
            return revision >= since && serving.getOrDefault(nodeId, 0L) != since;
        }
    }

    /** Leaders as known to a node that may be behind. */
    private record Believing(Node node, Leaders store) implements Leaders {
        @Override
        public String here() {
            return store.here();
        }

        @Override
        public @Nullable String leaderOf(byte[] key) {
            Integer believed = node.believes;
            return believed == null ? store.leaderOf(key) : InMemoryNode.id(believed);
        }

        @Override
        public void onChange(Runnable listener) {
            store.onChange(listener);
        }

        @Override
        public void refresh() {}
    }

    HomesFixture(int count, int ranges) {
        this(count, ranges, false);
    }

    HomesFixture(int count, int ranges, boolean earlyPush) {
        this(count, ranges, earlyPush, HomeSettings.DEFAULT);
    }

    HomesFixture(int count, int ranges, boolean earlyPush, HomeSettings homes) {
        this.settings = homes;
        QueueSettings queues = new QueueSettings(MAX_QUEUED, false, 100, 1 << 20, AttachRequest.NEVER, earlyPush, 4096)
                .waiting(ATTACHED_WAIT_MILLIS);
        List<Supplier<InboxCoprocessor>> factories = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Surroundings outside = surroundings(new StoredInboxes());
            factories.add(() -> new InboxCoprocessor(queues, outside));
        }
        host = new InMemoryRangeHost(factories, InboxKeys.splitKeys(ranges));
        for (int i = 0; i < count; i++) {
            nodes.add(new Node(i));
        }
        run();
    }

    private Surroundings surroundings(StoredInboxes stored) {
        return new Surroundings(
                (publisher, message, origin, number, finishedBelow, decidedAtMillis, order, resend) -> {
                    wills.add(message.topic());
                    return CompletableFuture.completedFuture(true);
                },
                (tenant, message, origin, number) -> {},
                (tenant, clientId, incarnation, filters) -> CompletableFuture.completedFuture(true),
                (from, group, message, token, resend) -> CompletableFuture.completedFuture(GroupOutcome.GIVEN),
                reports,
                new RecordCount(id -> false),
                stored,
                new MovedSessions(WILLS_PER_SECOND),
                null,
                () -> 1);
    }

    /** Number of waits of that kind that ran out of time, at all nodes. */
    double waitsOver(String wait) {
        return meters.get("godwit.waits.over").tag("wait", wait).counter().count();
    }

    InboxClient client(int node) {
        return nodes.get(node).client;
    }

    static byte[] key(String clientId) {
        return InboxKeys.prefix(TenantId.DEFAULT, new ClientId(clientId));
    }

    int leaderOf(String clientId) {
        return host.leaderOf(key(clientId));
    }

    /** A client id with that beginning, whose inbox that node leads. */
    String idLedBy(int node, String beginning) {
        for (int i = 0; i < 1000; i++) {
            if (leaderOf(beginning + i) == node) {
                return beginning + i;
            }
        }
        throw new AssertionError("node " + node + " leads nothing");
    }

    void move(String clientId, int toNode) {
        host.moveLeader(key(clientId), toNode);
    }

    // --- steps

    /** Delivers one frame of any lane; returns whether there was one. */
    private boolean deliverOne(Random random) {
        int start = random.nextInt(nodes.size() * nodes.size());
        for (int i = 0; i < nodes.size() * nodes.size(); i++) {
            int pair = (start + i) % (nodes.size() * nodes.size());
            String from = InMemoryNode.id(pair / nodes.size());
            String to = InMemoryNode.id(pair % nodes.size());
            if (net.deliverOne(from, to, Lane.INBOX_UP) || net.deliverOne(from, to, Lane.INBOX_DOWN)) {
                return true;
            }
        }
        return false;
    }

    /** Runs one task or one frame; returns whether there was one. */
    boolean step(Random random) {
        return random.nextInt(4) > 0 ? host.runOne() || deliverOne(random) : deliverOne(random) || host.runOne();
    }

    /** Runs until nothing is left to do. */
    void run() {
        Random random = new Random(1);
        do {
            host.runUntilIdle();
        } while (deliverOne(random));
    }

    void advance(long millis) {
        run();
        for (long left = millis; left > 0; left -= 10) {
            host.advanceMillis(Math.min(left, 10));
            run();
        }
    }

    <T> T await(CompletableFuture<T> answer) {
        for (int i = 0; i < 2000 && !answer.isDone(); i++) {
            run();
            if (!answer.isDone()) {
                host.advanceMillis(10);
            }
        }
        if (!answer.isDone()) {
            throw new AssertionError("no answer after 20 s");
        }
        return answer.join();
    }

    // --- calls

    TestConnection attach(int node, String clientId) {
        return attach(node, clientId, null);
    }

    TestConnection attach(int node, String clientId, @Nullable Will will) {
        TestConnection connection = new TestConnection();
        connection.clientId = clientId;
        connection.reply = await(client(node)
                .attach(new AttachRequest(InboxFixture.info(clientId), false, AttachRequest.NEVER, will), connection));
        return connection;
    }

    /** Null when the connection may not continue. */
    @Nullable
    TestConnection goOn(int node, TestConnection before, long sentUpTo, long... unanswered) {
        TestConnection next = new TestConnection();
        next.clientId = before.clientId;
        AttachReply reply = before.reply;
        Optional<InboxAttachment> attachment = await(client(node)
                .continueAttachment(
                        new ContinueRequest(
                                InboxFixture.info(before.clientId),
                                reply.incarnation(),
                                reply.attachNumber(),
                                sentUpTo,
                                unanswered),
                        next));
        if (attachment.isEmpty()) {
            return null;
        }
        next.reply = new AttachReply(
                true,
                reply.incarnation(),
                reply.attachNumber(),
                reply.subscriptions(),
                reply.inbound(),
                attachment.get());
        return next;
    }

    Message message(String payload, int qos) {
        return new Message(
                "t",
                payload.getBytes(StandardCharsets.UTF_8),
                Qos.of(qos),
                false,
                host.nowMillis(),
                MessageProperties.NONE);
    }

    InsertRequest request(String payload, int qos, TestConnection... receivers) {
        List<InsertRequest.Target> targets = new ArrayList<>();
        for (TestConnection each : receivers) {
            targets.add(InboxFixture.target(each.clientId, each.reply.incarnation(), Qos.of(qos)));
        }
        return InboxFixture.request(message(payload, qos), targets);
    }

    CompletableFuture<List<InsertOutcome>> insert(int node, String payload, int qos, TestConnection... receivers) {
        return client(node).insert(request(payload, qos, receivers));
    }

    CompletableFuture<List<InsertOutcome>> insertFrom(
            Resend resend, int node, String payload, TestConnection receiver) {
        InsertRequest request = request(payload, 1, receiver);
        return client(node)
                .insert(new InsertRequest(
                        request.tenant(), request.message(), request.targets(), null, 0, 0, false, null, resend));
    }

    @Override
    public void close() {
        host.close();
    }
}
