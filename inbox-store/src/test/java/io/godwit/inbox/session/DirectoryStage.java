package io.godwit.inbox.session;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.testing.MemoryLinks;
import io.godwit.inbox.client.SessionDirectory;
import io.godwit.inbox.session.port.DirectoryLimits;
import io.godwit.inbox.session.port.DirectoryView;
import io.godwit.inbox.session.port.IdKey;
import io.godwit.inbox.session.port.MemberLife;
import io.godwit.inbox.session.port.Owners;
import io.godwit.kv.client.WaitReports;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.NodeWait;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Directories of several nodes on one thread. The test moves turns, frames, views and the clock. */
final class DirectoryStage {
    static final DirectoryLimits LIMITS =
            new DirectoryLimits(Duration.ofSeconds(10), Duration.ofSeconds(2), 200, 1_000);

    final MemoryLinks.Net net = new MemoryLinks.Net();
    final Map<String, Node> nodes = new TreeMap<>();
    long nowNanos;

    /** One incarnation of a node, with the view that it knows. */
    final class Node implements DirectoryMembers {
        final MemberLife life;
        final MemoryLinks links;
        final ClusterSessionDirectory directory;
        final Queue<Runnable> turns = new ArrayDeque<>();
        final SimpleMeterRegistry meters = new SimpleMeterRegistry();
        final List<BrokerEvent> events = new ArrayList<>();
        final List<MemberLife> missing = new ArrayList<>();
        final List<Connection> connections = new ArrayList<>();
        DirectoryView view;
        boolean mayGrant = true;
        boolean takesConnections = true;
        private @Nullable Consumer<DirectoryView> listener;

        Node(MemberLife life, DirectoryView view) {
            this.life = life;
            this.view = view;
            links = net.node(life.nodeId(), life.incarnation());
            directory = new ClusterSessionDirectory(
                    this,
                    LIMITS,
                    new WaitReports(events::add, meters, NodeWait.CLIENT_ID, NodeWait.SILENT_MEMBER),
                    () -> nowNanos,
                    turns::add);
            links.receive(Lane.CONTROL, directory);
            links.addListener(directory);
            directory.start();
            net.join(links);
        }

        @Override
        public MemberLife own() {
            return life;
        }

        @Override
        public DirectoryView view() {
            return view;
        }

        @Override
        public void listen(Consumer<DirectoryView> to) {
            listener = to;
        }

        @Override
        public boolean mayGrant() {
            return mayGrant;
        }

        @Override
        public boolean takesConnections() {
            return takesConnections;
        }

        @Override
        public void missing(MemberLife member, String why) {
            missing.add(member);
        }

        void learn(DirectoryView next) {
            view = next;
            Consumer<DirectoryView> to = listener;
            if (to != null) {
                to.accept(next);
            }
        }

        /** Number of waits of that kind that ran out of time. */
        double overCount(NodeWait wait) {
            return meters.get("godwit.waits.over")
                    .tag("wait", wait.name().toLowerCase(Locale.ROOT))
                    .counter()
                    .count();
        }

        boolean turn() {
            Runnable turn = turns.poll();
            if (turn != null) {
                turn.run();
            }
            return turn != null;
        }

        Connection connect(String id) {
            return connect(id, null, SessionDirectory.Takeover.OF_ANYBODY);
        }

        Connection connect(String id, @Nullable String user, SessionDirectory.Takeover takeover) {
            Connection connection = new Connection(this, id, user);
            connections.add(connection);
            connection.answer = directory.acquire(TenantId.DEFAULT, new ClientId(id), connection, takeover);
            connection.answer.whenComplete((answer, failure) -> connection.answered(answer));
            return connection;
        }
    }

    /** A connection. It keeps its lease until the test calls {@link #release}. */
    static final class Connection implements SessionDirectory.Holder {
        final Node node;
        final String id;
        private final @Nullable String user;
        CompletableFuture<SessionDirectory.Answer> answer = new CompletableFuture<>();
        SessionDirectory.@Nullable Lease lease;
        boolean isToldToGiveUp;
        boolean hadLease;
        Consumer<Connection> onGrant = connection -> {};

        Connection(Node node, String id, @Nullable String user) {
            this.node = node;
            this.id = id;
            this.user = user;
        }

        @Override
        public @Nullable String userName() {
            return user;
        }

        @Override
        public void giveUp() {
            if (isToldToGiveUp) {
                throw new AssertionError(this + " is told twice");
            }
            isToldToGiveUp = true;
        }

        void answered(SessionDirectory.@Nullable Answer with) {
            if (with instanceof SessionDirectory.Lease granted) {
                lease = granted;
                hadLease = true;
                onGrant.accept(this);
            }
        }

        boolean has() {
            return lease != null;
        }

        void release() {
            SessionDirectory.Lease held = lease;
            lease = null;
            if (held != null) {
                held.release();
            }
        }

        @Override
        public String toString() {
            return id + "@" + node.life;
        }
    }

    static MemberLife life(String node) {
        return new MemberLife(node, 1);
    }

    static DirectoryView view(long revision, String... serving) {
        Set<MemberLife> lives = new HashSet<>();
        Arrays.stream(serving).forEach(node -> lives.add(life(node)));
        return new DirectoryView(revision, lives, Set.of());
    }

    Node start(MemberLife life, DirectoryView view) {
        Node node = new Node(life, view);
        nodes.put(life.nodeId(), node);
        return node;
    }

    /** Nodes that serve in revision 1, and know that. */
    static DirectoryStage of(String... names) {
        DirectoryStage stage = new DirectoryStage();
        for (String name : names) {
            stage.start(life(name), view(1, names));
        }
        stage.settle();
        return stage;
    }

    Node node(String name) {
        Node node = nodes.get(name);
        if (node == null) {
            throw new IllegalArgumentException("no node " + name);
        }
        return node;
    }

    void kill(String name) {
        net.kill(name);
        nodes.remove(name);
    }

    void learn(DirectoryView view) {
        nodes.values().forEach(node -> node.learn(view));
    }

    /** Runs all turns and all deliverable frames, until nothing moves. */
    void settle() {
        boolean isMoving = true;
        while (isMoving) {
            isMoving = false;
            for (Node node : nodes.values()) {
                while (node.turn()) {
                    isMoving = true;
                }
            }
            for (String from : nodes.keySet()) {
                for (String to : nodes.keySet()) {
                    while (net.deliverOne(from, to, Lane.CONTROL)) {
                        isMoving = true;
                    }
                }
            }
        }
    }

    void pass(Duration time) {
        nowNanos += time.toNanos();
        nodes.values().forEach(node -> node.directory.tick());
        settle();
    }

    /** A client id that the node owns in the view. */
    static String idOwnedBy(String node, DirectoryView view) {
        for (int i = 0; ; i++) {
            if (ownerOf("id" + i, view).nodeId().equals(node)) {
                return "id" + i;
            }
        }
    }

    static MemberLife ownerOf(String id, DirectoryView view) {
        return Objects.requireNonNull(new Owners(view).of(Owners.hash(new IdKey(TenantId.DEFAULT, new ClientId(id)))));
    }
}
