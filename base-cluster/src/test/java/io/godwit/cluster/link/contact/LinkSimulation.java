package io.godwit.cluster.link.contact;

import io.godwit.cluster.config.HostPort;
import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.LaneReceiver;
import io.godwit.cluster.link.LinkListener;
import io.godwit.cluster.link.LinkSettings;
import io.godwit.cluster.link.LinkStats;
import io.godwit.cluster.link.Peer;
import io.godwit.cluster.link.message.LinkVersions;
import io.godwit.cluster.link.message.VersionRange;
import io.godwit.cluster.link.stream.LinkStream;
import io.godwit.cluster.member.Departure;
import io.godwit.cluster.member.Member;
import io.godwit.cluster.member.NodeIdentity;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Links of several nodes on one thread, in an order given by a seed: which task of which node runs next, which message
 * arrives next, which stream breaks, and how many of its messages still arrive. Some nodes use the layout of the
 * release before. Checked after every step: a peer receives what one peer at the other end has sent, from the first
 * frame on, once each and in order; only large frames, and frames behind them in their order, are passed, only by
 * frames of other orders, and never to a node without support for orders; confirmed frames were received; nothing is
 * received before a peer has joined or after it is over.
 */
public final class LinkSimulation {
    static final int MAX_FRAME_BYTES = 400_000;
    private static final int MAX_DEPTH = 3;
    private static final int ORDERS = 4;
    private static final LinkVersions BEFORE = new LinkVersions(new VersionRange(1, 1), new VersionRange(1, 1));
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final Random random;
    private final LinkSettings settings;
    private final Map<String, Node> nodes = new TreeMap<>();
    private final SimulatedNetwork network;
    private long nowNanos;
    private long incarnations;
    private int steps;
    private int depth;
    private final IdentityHashMap<Peer, Sender> senders = new IdentityHashMap<>();
    private final List<Sender> bySender = new ArrayList<>();
    private final List<Pause> pauses = new ArrayList<>();
    private int received;
    private int lost;
    private int reconnected;
    private int passed;

    public LinkSimulation(long seed) {
        random = new Random(seed);
        network = new SimulatedNetwork(random);
        settings = LinkSettings.of("cluster").withBytes(64 << 10, 1 << 20).withSilence(Duration.ofSeconds(20));
    }

    /** Frames that one peer object has sent and another one has received. */
    private static final class Sender {
        private final int number;
        private final Node node;
        private final String to;
        private final int[] sent = new int[Lane.values().length];
        /** For each lane: frames that were sent and not received, by number. */
        private final List<TreeMap<Integer, Sent>> open = new ArrayList<>();

        private int unsettled;
        private @Nullable Peer receiver;

        Sender(int number, Node node, String to) {
            this.number = number;
            this.node = node;
            this.to = to;
            for (int i = 0; i < sent.length; i++) {
                open.add(new TreeMap<>());
            }
        }
    }

    /** @param order 0 for none */
    private record Sent(int order, boolean isLarge) {}

    /** The node receives nothing from that peer in that lane until the pause ends. */
    private record Pause(Node at, Lane lane, Peer from, CompletableFuture<Void> end) {}

    private record Timer(long atNanos, Runnable task) {}

    private CompletableFuture<Void> pause(Node at, Lane lane, Peer from) {
        Pause pause = new Pause(at, lane, from, new CompletableFuture<>());
        pauses.add(pause);
        return pause.end;
    }

    private final class Node implements LinkListener, SimulatedNetwork.End {
        private final String id;
        private final long incarnation = ++incarnations;
        private final Deque<Runnable> thread = new ArrayDeque<>();
        private final List<Runnable> pool = new ArrayList<>();
        private final List<Timer> timers = new ArrayList<>();
        private final Map<String, Member> members = new TreeMap<>();
        private final IdentityHashMap<Peer, Boolean> joined = new IdentityHashMap<>();
        private final PeerLinks links;
        private final boolean isOld = random.nextInt(4) == 0;
        private boolean isDead;

        Node(String id) {
            this.id = id;
            links = new PeerLinks(
                    new PeerLinks.Ground(
                            new NodeIdentity(id, incarnation, "1", Map.of()),
                            settings,
                            isOld ? BEFORE : LinkVersions.CURRENT,
                            MAX_FRAME_BYTES,
                            (nodeId, events) -> dial(this, nodeId, events),
                            () -> List.copyOf(members.values()),
                            thread::add,
                            pool::add,
                            pool::add,
                            () -> nowNanos),
                    null);
            for (Lane lane : Lane.values()) {
                links.receive(lane, LaneReceiver.paced((from, frame) -> {
                    receive(this, lane, from, frame);
                    return random.nextInt(4) == 0 ? pause(this, lane, from) : LaneReceiver.READY;
                }));
            }
            links.addListener(this);
            links.start();
        }

        @Override
        public void joined(Peer peer) {
            check(joined.put(peer, true) == null, "joined twice");
            check(peer.isConnected(), "not connected");
            for (Peer other : joined.keySet()) {
                check(other == peer || !other.nodeId().equals(peer.nodeId()) || !joined.get(other), "two peers");
            }
        }

        @Override
        public void reconnected(Peer peer) {
            reconnected++;
        }

        @Override
        public void over(Peer peer, String why) {
            check(Boolean.TRUE.equals(joined.put(peer, false)), "over and did not join");
        }

        @Override
        public String id() {
            return id;
        }

        @Override
        public boolean isDead() {
            return isDead;
        }

        @Override
        public LinkStream.EventThread eventThread() {
            return new LinkStream.EventThread() {
                @Override
                public void execute(Runnable task) {
                    pool.add(task);
                }

                @Override
                public boolean hasFineTimers() {
                    return true;
                }

                @Override
                public void executeLater(Runnable task, long nanos) {
                    timers.add(new Timer(nowNanos + nanos, task));
                }
            };
        }

        @Override
        public LinkStream.Events accept(LinkStream stream) {
            return links.accept(stream);
        }

        Member member() {
            return new Member(id, incarnation, new HostPort("127.0.0.1", 1), "1", "", Map.of());
        }
    }

    private @Nullable LinkStream dial(Node from, String nodeId, LinkStream.Events events) {
        Node to = nodes.get(nodeId);
        return to == null ? null : network.dial(from, to, events);
    }

    // --- actions

    public void start(String id) {
        Node node = new Node(id);
        nodes.put(id, node);
        for (Node other : nodes.values()) {
            other.thread.add(() -> {
                other.members.put(id, node.member());
                other.links.following().joined(node.member());
            });
            node.members.put(other.id, other.member());
        }
    }

    void kill(String id) {
        Node node = nodes.remove(id);
        node.isDead = true;
        network.died(node);
        for (Node other : nodes.values()) {
            other.thread.add(() -> {
                other.members.remove(id, node.member());
                other.links.following().gone(node.member(), Departure.CRASHED);
            });
        }
    }

    public void run(int count) {
        for (int i = 0; i < count; i++) {
            steps++;
            int what = random.nextInt(1_000);
            if (what < 250) {
                send();
            } else if (what < 255) {
                network.cut();
            } else if (what < 257) {
                abandon();
            } else if (what < 258) {
                network.split();
            } else if (what < 262) {
                network.join();
            } else if (what < 263) {
                String id = pick(List.copyOf(nodes.keySet()));
                kill(id);
                start(id);
            } else if (what < 290) {
                pass(random.nextInt(40) == 0 ? 8 * SECOND : SECOND / 10);
            } else {
                step();
            }
        }
    }

    /** Runs without faults until nothing is left to do. */
    public void settle() {
        network.join();
        for (int round = 0; round < 400; round++) {
            pass(SECOND / 10);
            while (step()) {
                steps++;
            }
        }
    }

    private void pass(long nanos) {
        nowNanos += nanos;
        nodes.values().forEach(node -> node.links.tick());
    }

    private <T> T pick(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }

    /** Runs one task or delivers one message; false if there is none. */
    private boolean step() {
        List<Runnable> choices = new ArrayList<>();
        for (Node node : nodes.values()) {
            if (!node.thread.isEmpty()) {
                choices.add(() -> node.thread.remove().run());
            }
            for (int i = 0; i < node.pool.size(); i++) {
                int index = i;
                choices.add(() -> node.pool.remove(index).run());
            }
            for (Timer timer : node.timers) {
                if (timer.atNanos <= nowNanos) {
                    choices.add(() -> {
                        node.timers.remove(timer);
                        timer.task.run();
                    });
                }
            }
        }
        for (Pause pause : pauses) {
            choices.add(() -> {
                pauses.remove(pause);
                pause.end.complete(null);
            });
        }
        choices.addAll(network.deliveries());
        if (choices.isEmpty()) {
            return false;
        }
        pick(choices).run();
        return true;
    }

    private void abandon() {
        Peer peer = anyPeer();
        if (peer != null) {
            peer.abandon("for the test");
        }
    }

    private @Nullable Peer anyPeer() {
        List<Peer> peers = pick(List.copyOf(nodes.values())).links.peers();
        return peers.isEmpty() ? null : pick(peers);
    }

    private void send() {
        Node node = pick(List.copyOf(nodes.values()));
        List<Peer> peers = node.links.peers();
        if (!peers.isEmpty()) {
            send(node, pick(peers), pick(List.of(Lane.values())));
        }
    }

    private void send(Node node, Peer peer, Lane lane) {
        send(node, peer, lane, random.nextInt(20) == 0 ? random.nextInt(MAX_FRAME_BYTES) : random.nextInt(200));
    }

    private void send(Node node, Peer peer, Lane lane, int size) {
        Sender sender = senders.computeIfAbsent(peer, p -> {
            Sender made = new Sender(bySender.size(), node, p.nodeId());
            bySender.add(made);
            return made;
        });
        int number = sender.sent[lane.ordinal()]++;
        int order = random.nextInt(40) == 0 ? 0 : 1 + random.nextInt(ORDERS);
        Map<Integer, Sent> open = sender.open.get(lane.ordinal());
        open.put(number, new Sent(order, size > Peer.PASSABLE_BYTES));
        byte[] frame = ByteBuffer.allocate(Math.max(12, size))
                .putInt(sender.number)
                .putInt(number)
                .putInt(size)
                .array();
        if (frame.length > 12) {
            frame[frame.length - 1] = (byte) number;
        }
        sender.unsettled++;
        int[] calls = {0};
        peer.send(lane, frame, order == 0 ? null : order, new Peer.Confirmation() {
            @Override
            public void confirmed() {
                settle();
                check(!open.containsKey(number), "confirmed and not received");
            }

            @Override
            public void lost() {
                settle();
                lost++;
            }

            private void settle() {
                meanwhile();
                check(++calls[0] == 1, "confirmed twice");
                sender.unsettled--;
            }
        });
    }

    /** Node a sends small frames of one lane to node b, each when all nodes have done what they can. Nothing breaks. */
    public void sendOneByOne(int count, Lane lane, long pauseNanos) {
        Node from = nodes.get("a");
        Peer to = from == null ? null : from.links.peer("b");
        if (from == null || to == null) {
            throw new IllegalStateException("a is not linked to b");
        }
        int before = depth;
        depth = MAX_DEPTH;
        for (int i = 0; i < count; i++) {
            send(from, to, lane, 100);
            while (step()) {
                steps++;
            }
            nowNanos += pauseNanos;
        }
        depth = before;
    }

    private void receive(Node node, Lane lane, Peer from, byte[] frame) {
        check(Boolean.TRUE.equals(node.joined.get(from)), "received from one that is not there");
        check(
                pauses.stream().noneMatch(pause -> pause.at == node && pause.lane == lane && pause.from == from),
                "received in a pause");
        ByteBuffer content = ByteBuffer.wrap(frame);
        Sender sender = bySender.get(content.getInt());
        int number = content.getInt();
        check(frame.length == Math.max(12, content.getInt()), "length");
        check(frame.length == 12 || frame[frame.length - 1] == (byte) number, "content");
        check(sender.node.id.equals(from.nodeId()) && sender.node.incarnation == from.incarnation(), "wrong sender");
        check(sender.to.equals(node.id), "wrong node");
        check(sender.receiver == null || sender.receiver == from, "two pairings mixed");
        sender.receiver = from;
        TreeMap<Integer, Sent> open = sender.open.get(lane.ordinal());
        Sent sent = open.get(number);
        if (sent == null) {
            throw new AssertionError("after " + steps + " steps: received twice: " + number);
        }
        Map<Integer, Sent> before = open.headMap(number);
        if (!before.isEmpty()) {
            check(!sender.node.isOld && !node.isOld, "passed in a link that knows no orders");
            checkMayPass(sent, before);
            passed++;
        }
        if (sent.isLarge()) {
            breakMeanwhile();
        }
        meanwhile();
        check(Boolean.TRUE.equals(node.joined.get(from)), "over while it was received from");
        open.remove(number);
        received++;
    }

    /** Earlier frames that were not received must be large frames of other orders, or frames behind those. */
    private void checkMayPass(Sent sent, Map<Integer, Sent> before) {
        Set<Integer> ofLarge = new HashSet<>();
        before.values().forEach(earlier -> {
            if (earlier.isLarge()) {
                ofLarge.add(earlier.order());
            }
            check(
                    sent.order() != 0 && earlier.order() != 0 && earlier.order() != sent.order(),
                    sent + " passed " + earlier);
            check(ofLarge.contains(earlier.order()), sent + " passed " + earlier + ", which waits for no large one");
        });
    }

    /** Lets other threads run during a callback. */
    private void meanwhile() {
        if (depth < MAX_DEPTH && random.nextInt(8) == 0) {
            depth++;
            for (int left = random.nextInt(40); left > 0; left--) {
                if (random.nextInt(30) == 0) {
                    network.cut();
                } else {
                    step();
                }
            }
            depth--;
        }
    }

    /**
     * The next connection begins while a frame is being received, and is told that this frame is expected. So the frame
     * comes again, and must have kept its number.
     */
    private void breakMeanwhile() {
        if (depth < MAX_DEPTH && random.nextInt(3) == 0) {
            depth++;
            network.cut();
            network.cut();
            for (int left = random.nextInt(120); left > 0; left--) {
                step();
            }
            depth--;
        }
    }

    private void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError("after " + steps + " steps: " + otherwise);
        }
    }

    // --- final checks

    /** All nodes are linked, what is sent now is confirmed, and nothing else waits. */
    public void checkHealthy() {
        for (Node node : nodes.values()) {
            for (Node other : nodes.values()) {
                if (other != node) {
                    Peer peer = node.links.peer(other.id);
                    check(
                            peer != null && peer.isConnected() && peer.incarnation() == other.incarnation,
                            node.id + " has no link to " + other.id + ": " + peer);
                    for (Lane lane : Lane.values()) {
                        send(node, peer, lane);
                    }
                }
            }
        }
        int lostBefore = lost;
        settle();
        check(lost == lostBefore, "lost without a fault");
        for (Sender sender : bySender) {
            check(sender.node.isDead || sender.unsettled == 0, sender.unsettled + " neither confirmed nor lost");
        }
        for (Node node : nodes.values()) {
            for (LinkStats stats : node.links.stats()) {
                check(stats.unconfirmedBytes() == 0, "bytes left: " + stats);
            }
        }
    }

    /** Number of messages that all nodes have sent. */
    public int messages() {
        return network.messages();
    }

    public int received() {
        return received;
    }

    public int lost() {
        return lost;
    }

    public int reconnected() {
        return reconnected;
    }

    public int passed() {
        return passed;
    }
}
