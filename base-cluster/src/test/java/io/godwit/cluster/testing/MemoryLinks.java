package io.godwit.cluster.testing;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.LaneReceiver;
import io.godwit.cluster.link.LinkListener;
import io.godwit.cluster.link.Links;
import io.godwit.cluster.link.Peer;
import io.godwit.cluster.link.message.LinkVersions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Links of several nodes on one thread. A frame waits until the test delivers it: {@link Net#deliverAll}, or
 * {@link Net#deliverOne} for one lane. Links can be cut, mended and ended. Confined to the test's thread.
 */
public final class MemoryLinks implements Links {
    /** The network of all nodes of a test. */
    public static final class Net {
        private final Map<String, MemoryLinks> nodes = new TreeMap<>();
        private final Set<String> cut = new HashSet<>();
        private final List<Wire> wires = new ArrayList<>();
        private final Queue<Runnable> afterReceiver = new ArrayDeque<>();
        private boolean isReceiving;
        private boolean areLargeHeld;

        /** Makes a node; add receivers and listeners before {@link #join}. */
        public MemoryLinks node(String nodeId, long incarnation) {
            return new MemoryLinks(this, nodeId, incarnation);
        }

        /** Links the node to all that have joined. */
        public void join(MemoryLinks node) {
            for (MemoryLinks other : List.copyOf(nodes.values())) {
                node.add(other);
                other.add(node);
            }
            nodes.put(node.nodeId, node);
        }

        /** Delivers all frames that no cut link holds back, including frames sent in response. */
        public void deliverAll() {
            boolean isMoving = true;
            while (isMoving) {
                isMoving = false;
                for (Wire wire : List.copyOf(wires)) {
                    isMoving |= wire.deliver();
                }
            }
        }

        /** Delivers the next frame of a lane; returns whether there was one. */
        public boolean deliverOne(String from, String to, Lane lane) {
            for (Wire wire : List.copyOf(wires)) {
                if (wire.lane == lane && wire.from.nodeId.equals(from) && wire.to.nodeId.equals(to)) {
                    return wire.deliver();
                }
            }
            return false;
        }

        /**
         * While true, passable frames, and frames behind them in their orders, are not delivered, so that others pass
         * them.
         */
        public void holdLarge(boolean areHeld) {
            areLargeHeld = areHeld;
        }

        /** Holds back all frames from one node to the other until {@link #mend}. */
        public void cut(String from, String to) {
            cut.add(from + '>' + to);
            tell(from, to, true);
        }

        public void mend(String from, String to) {
            cut.remove(from + '>' + to);
            tell(from, to, false);
        }

        private void tell(String from, String to, boolean isCut) {
            MemoryLinks node = nodes.get(from);
            MemoryPeer peer = node == null ? null : node.peers.get(to);
            if (node != null && peer != null) {
                node.listeners.forEach(listener -> {
                    if (isCut) {
                        listener.disconnected(peer);
                    } else {
                        listener.reconnected(peer);
                    }
                });
            }
        }

        private CompletableFuture<?> receive(LaneReceiver receiver, Peer from, byte[] frame) {
            isReceiving = true;
            try {
                return receiver.take(from, frame);
            } finally {
                isReceiving = false;
                for (Runnable next = afterReceiver.poll(); next != null; next = afterReceiver.poll()) {
                    next.run();
                }
            }
        }

        private void afterReceiver(Runnable task) {
            if (isReceiving) {
                afterReceiver.add(task);
            } else {
                task.run();
            }
        }

        /** Ends a link: both ends are told that the other is over, and frames in transit are lost. */
        public void end(String one, String other, String why) {
            over(one, other, why);
            over(other, one, why);
            wires.removeIf(wire -> wire.isBetween(one, other));
        }

        /** Links two nodes again whose link has ended. */
        public void link(String one, String other) {
            MemoryLinks here = nodes.get(one);
            MemoryLinks there = nodes.get(other);
            if (here != null && there != null && !here.peers.containsKey(other)) {
                here.add(there);
                there.add(here);
            }
        }

        /** Ends the node's process, as the others see it. */
        public void kill(String nodeId) {
            MemoryLinks gone = nodes.remove(nodeId);
            for (MemoryLinks other : List.copyOf(nodes.values())) {
                over(other.nodeId, nodeId, "killed");
            }
            wires.removeIf(wire -> wire.from == gone || wire.to == gone);
        }

        private void over(String at, String of, String why) {
            MemoryLinks node = nodes.get(at);
            MemoryPeer peer = node == null ? null : node.peers.remove(of);
            if (node == null || peer == null) {
                return;
            }
            peer.isOver = true;
            for (Wire wire : wires) {
                if (wire.from == node && wire.to.nodeId.equals(of)) {
                    wire.lose();
                }
            }
            node.listeners.forEach(listener -> listener.over(peer, why));
        }
    }

    @SuppressWarnings("ArrayRecordComponent")
    private record Frame(byte[] bytes, @Nullable Object order, Peer.@Nullable Confirmation confirmation) {
        boolean isPassable() {
            return order != null && bytes.length > Peer.PASSABLE_BYTES;
        }
    }

    /** One lane of one direction. */
    private static final class Wire {
        private final MemoryLinks from;
        private final MemoryLinks to;
        private final Lane lane;
        private final Queue<Frame> frames = new ArrayDeque<>();
        /** The future that the next frame waits for. */
        private CompletableFuture<?> pause = LaneReceiver.READY;

        Wire(MemoryLinks from, MemoryLinks to, Lane lane) {
            this.from = from;
            this.to = to;
            this.lane = lane;
        }

        boolean isBetween(String one, String other) {
            return from.nodeId.equals(one) && to.nodeId.equals(other)
                    || from.nodeId.equals(other) && to.nodeId.equals(one);
        }

        boolean deliver() {
            if (!pause.isDone() || from.net.cut.contains(from.nodeId + '>' + to.nodeId)) {
                return false;
            }
            MemoryPeer sender = to.peers.get(from.nodeId);
            LaneReceiver receiver = to.receivers.get(lane);
            if (sender == null || receiver == null) {
                return false;
            }
            Frame frame = next();
            if (frame == null) {
                return false;
            }
            pause = to.net.receive(receiver, sender, frame.bytes);
            Peer.Confirmation confirmation = frame.confirmation;
            if (confirmation != null) {
                confirmation.confirmed();
            }
            return true;
        }

        private @Nullable Frame next() {
            if (!from.net.areLargeHeld) {
                return frames.poll();
            }
            Set<Object> held = new HashSet<>();
            for (Frame frame : frames) {
                Object order = frame.order;
                if (order != null && (frame.isPassable() || held.contains(order))) {
                    held.add(order);
                } else if (order != null || held.isEmpty()) {
                    frames.remove(frame);
                    return frame;
                } else {
                    return null;
                }
            }
            return null;
        }

        long count(boolean passable) {
            return frames.stream()
                    .filter(frame -> frame.isPassable() == passable)
                    .count();
        }

        void lose() {
            List<Frame> lost = List.copyOf(frames);
            frames.clear();
            for (Frame frame : lost) {
                if (frame.confirmation != null) {
                    frame.confirmation.lost();
                }
            }
        }
    }

    private final class MemoryPeer implements Peer {
        private final MemoryLinks other;
        private final Map<Lane, Wire> lanes = new EnumMap<>(Lane.class);
        private boolean isOver;

        MemoryPeer(MemoryLinks other) {
            this.other = other;
            for (Lane lane : Lane.values()) {
                Wire wire = new Wire(MemoryLinks.this, other, lane);
                lanes.put(lane, wire);
                net.wires.add(wire);
            }
        }

        @Override
        public String nodeId() {
            return other.nodeId;
        }

        @Override
        public long incarnation() {
            return other.incarnation;
        }

        @Override
        public boolean isConnected() {
            return !isOver && !net.cut.contains(nodeId + '>' + other.nodeId);
        }

        @Override
        public int version() {
            return Math.min(version, other.version);
        }

        @Override
        public int maxFrameBytes() {
            return Math.min(maxFrameBytes, other.acceptedBytes);
        }

        @Override
        public void send(Lane lane, byte[] frame, Confirmation confirmation) {
            send(lane, frame, null, confirmation);
        }

        @Override
        public void send(Lane lane, byte[] frame) {
            send(lane, frame, null, null);
        }

        @Override
        public void send(Lane lane, byte[] frame, @Nullable Object order, @Nullable Confirmation confirmation) {
            if (!isOver) {
                add(lane, new Frame(frame, order, confirmation));
            } else if (confirmation != null) {
                confirmation.lost();
            }
        }

        private void add(Lane lane, Frame frame) {
            if (frame.bytes.length > maxFrameBytes()) {
                throw new IllegalArgumentException("frame of " + frame.bytes.length + " bytes");
            }
            wire(lane).frames.add(frame);
            if (wire(lane).frames.size() > bound) {
                abandon("more than " + bound + " frames wait in lane " + lane);
            }
        }

        private Wire wire(Lane lane) {
            return Objects.requireNonNull(lanes.get(lane));
        }

        @Override
        public boolean isWritable(Lane lane) {
            return wire(lane).frames.size() < window;
        }

        @Override
        public boolean isWritable(Lane lane, int frameBytes) {
            return wire(lane).count(frameBytes > PASSABLE_BYTES) < window;
        }

        /**
         * During a receiver's call, the end is reported after that has returned: listeners are not called from inside
         * it.
         */
        @Override
        public void abandon(String why) {
            isOver = true;
            net.afterReceiver(() -> net.end(nodeId, other.nodeId, why));
        }

        @Override
        public String toString() {
            return other.nodeId + '/' + other.incarnation;
        }
    }

    private final Net net;
    private final String nodeId;
    private final long incarnation;
    private final Map<Lane, LaneReceiver> receivers = new EnumMap<>(Lane.class);
    private final List<LinkListener> listeners = new ArrayList<>();
    private final Map<String, MemoryPeer> peers = new TreeMap<>();
    private int window = Integer.MAX_VALUE;
    private int bound = Integer.MAX_VALUE;
    private int maxFrameBytes = 16 << 20;
    private int acceptedBytes = 16 << 20;
    private int version = LinkVersions.CURRENT.payload().most();

    private MemoryLinks(Net net, String nodeId, long incarnation) {
        this.net = net;
        this.nodeId = nodeId;
        this.incarnation = incarnation;
    }

    private void add(MemoryLinks other) {
        MemoryPeer peer = new MemoryPeer(other);
        peers.put(other.nodeId, peer);
        List.copyOf(listeners).forEach(listener -> listener.joined(peer));
    }

    /**
     * Sets how many frames of each kind, passable and other, may wait in a lane of this node before it is not writable.
     * The default is no limit.
     */
    public void window(int frames) {
        window = frames;
    }

    /** Sets how many frames may wait in a lane of this node before its peer is over. The default is no limit. */
    public void bound(int frames) {
        bound = frames;
    }

    /** Sets the largest frame that this node sends, in bytes; 16 MiB by default. */
    public void maxFrameBytes(int bytes) {
        maxFrameBytes = bytes;
    }

    /** Sets the largest frame that this node accepts, in bytes; 16 MiB by default. */
    public void acceptedBytes(int bytes) {
        acceptedBytes = bytes;
    }

    /** Sets the highest version of frames that this node supports; that of this release by default. */
    public void version(int most) {
        version = most;
    }

    @Override
    public void receive(Lane lane, LaneReceiver receiver) {
        receivers.put(lane, receiver);
    }

    @Override
    public void addListener(LinkListener listener) {
        listeners.add(listener);
        peers.values().forEach(listener::joined);
    }

    @Override
    public List<Peer> peers() {
        return List.copyOf(peers.values());
    }

    @Override
    public @Nullable Peer peer(String ofNode) {
        return peers.get(ofNode);
    }
}
