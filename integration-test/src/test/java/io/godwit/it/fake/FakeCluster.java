package io.godwit.it.fake;

import io.godwit.it.fake.FakeSession.Entry;
import io.godwit.it.fake.FakeSession.Subscription;
import io.godwit.it.wire.Packet;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Nodes of one cluster, each a port of this process. They share this object, so a kill of a node ends its connections
 * and loses nothing. A {@link NodeFault} decides what they do wrong between each other. All state is guarded by this
 * object's lock.
 */
public final class FakeCluster extends FakeServer implements AutoCloseable {
    private static final long LATENCY_NANOS = TimeUnit.MILLISECONDS.toNanos(25);
    /** How long other nodes do not know a subscription. */
    private static final long UNKNOWN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** How much a killed node forgets. */
    private static final long FORGOTTEN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final NodeFault fault;
    private final List<FakeListener> listeners = new ArrayList<>();
    /** Of each node: the retained messages that it knows, by topic. */
    private final List<Map<String, Packet.Publish>> retained = new ArrayList<>();

    /** By session: the message that another is to overtake. */
    private final Map<FakeSession, Entry> heldBack = new HashMap<>();

    private final Deque<Delivery> deliveries = new ArrayDeque<>();
    /** How often the fault could have shown. */
    private int occasions;

    /** What a node has given to a session. */
    private record Delivery(int node, long nanos, FakeSession to, Entry entry) {}

    /** The nodes are numbered from 0; none is open yet. */
    public FakeCluster(NodeFault fault, int nodes) throws IOException {
        this.fault = fault;
        for (int node = 0; node < nodes; node++) {
            listeners.add(new FakeListener(this, node, LATENCY_NANOS));
            retained.add(new TreeMap<>());
        }
    }

    public List<InetSocketAddress> addresses() {
        return listeners.stream().map(FakeListener::address).toList();
    }

    public boolean isOpen(int node) {
        return listeners.get(node).isOpen();
    }

    /** Opens all nodes. */
    public void start() throws IOException {
        for (int node = 0; node < listeners.size(); node++) {
            launch(node);
        }
    }

    public void launch(int node) throws IOException {
        listeners.get(node).open();
    }

    /** Ends a node and its connections. The others give it up at once, so they publish the wills of its clients. */
    public synchronized void kill(int node) throws IOException {
        listeners.get(node).close();
        if (fault == NodeFault.FORGETS_AT_KILLS) {
            forget(node);
        }
        for (FakeConnection connection : List.copyOf(connections)) {
            if (connection.node == node) {
                end(connection);
            }
        }
        if (fault == NodeFault.ENDS_CONNECTIONS_OF_OTHER_NODES) {
            connections.stream()
                    .filter(connection -> connection.session != null)
                    .findFirst()
                    .ifPresent(this::end);
        }
    }

    private void end(FakeConnection connection) {
        connections.remove(connection);
        gone(connection);
        connection.close();
    }

    private void forget(int node) {
        long now = System.nanoTime();
        for (Delivery delivery : deliveries) {
            if (delivery.node == node && now - delivery.nanos < FORGOTTEN_NANOS) {
                delivery.to.remove(delivery.entry);
            }
        }
        deliveries.clear();
    }

    /** Ends all nodes. */
    @Override
    public synchronized void close() throws IOException {
        for (FakeListener listener : listeners) {
            listener.close();
        }
        List<FakeConnection> open = List.copyOf(connections);
        connections.clear();
        open.forEach(FakeConnection::close);
    }

    @Override
    void connected(FakeConnection from, Packet.Connect connect) {
        FakeSession session = sessions.get(connect.clientId());
        if (session != null && session.node != from.node) {
            moves(session, from);
        }
        super.connected(from, connect);
    }

    private void moves(FakeSession session, FakeConnection to) {
        if (fault == NodeFault.FORGETS_QOS2_TOKENS) {
            session.inbound.clear();
        } else if (fault == NodeFault.LOSES_SESSIONS && isEach(10)) {
            if (session.connection != null) {
                takenOver(session.connection, to);
            }
            sessions.remove(session.clientId);
        }
    }

    @Override
    void takenOver(FakeConnection old, FakeConnection by) {
        Packet.Will will = old.will;
        if (old.node == by.node) {
            super.takenOver(old, by);
        } else if (fault == NodeFault.KEEPS_OLD_CONNECTIONS) {
            gone(old); // the connection itself ends when it has answered a PINGREQ
        } else if (fault == NodeFault.DROPS_WILLS) {
            old.will = null;
            super.takenOver(old, by);
        } else {
            super.takenOver(old, by);
            if (fault == NodeFault.PUBLISHES_WILLS_TWICE && will != null && !isDelayed(will)) {
                publishWill(by.node, will);
            }
        }
    }

    @Override
    void cameBack(FakeSession session, FakeConnection by, Packet.Will delayedWill) {
        if (fault == NodeFault.PUBLISHES_WILLS_OF_RETURNED_CLIENTS && session.node != by.node) {
            publishWill(session.node, delayedWill);
        }
    }

    @Override
    void pinged(FakeConnection from) {
        super.pinged(from);
        if (Objects.requireNonNull(from.session).connection != from) {
            connections.remove(from);
            from.finish();
        }
    }

    @Override
    void disconnected(FakeConnection from) {
        Packet.Will will = from.will;
        super.disconnected(from);
        if (fault == NodeFault.PUBLISHES_WILLS_OF_DISCONNECTED_CLIENTS && will != null) {
            publishWill(from.node, will);
        }
    }

    @Override
    boolean sees(int node, Subscription subscription) {
        return fault != NodeFault.MISSES_SUBSCRIPTIONS
                || node == subscription.node()
                || System.nanoTime() - subscription.nanos() > UNKNOWN_NANOS;
    }

    @Override
    void deliver(int node, FakeSession to, Entry entry) {
        if (fault == NodeFault.FORGETS_AT_KILLS) {
            deliveries.add(new Delivery(node, System.nanoTime(), to, entry));
        }
        if (node == to.node || entry.publish.qos() == 0) {
            super.deliver(node, to, entry);
        } else {
            forward(node, to, entry);
        }
    }

    /** Gives a message to a session of another node. */
    private void forward(int node, FakeSession to, Entry entry) {
        if (fault == NodeFault.DROPS_MESSAGES && isEach(500)) {
            return;
        }
        if (fault == NodeFault.REORDERS && !heldBack.containsKey(to) && isEach(500)) {
            heldBack.put(to, entry);
            return;
        }
        super.deliver(node, to, entry);
        if (fault == NodeFault.REPEATS_MESSAGES && isEach(200)) {
            super.deliver(node, to, new Entry(entry.publish, entry.group));
        }
        Entry late = heldBack.get(to);
        if (late != null && late.publish.topic().equals(entry.publish.topic())) {
            heldBack.remove(to);
            super.deliver(node, to, late);
        }
    }

    @Override
    Map<String, Packet.Publish> retainedAt(int node) {
        return retained.get(node);
    }

    @Override
    void retain(int node, Packet.Publish publish) {
        boolean isMissed = fault == NodeFault.KEEPS_STALE_RETAINED && isEach(4);
        for (int each = 0; each < retained.size(); each++) {
            if (each == node || !isMissed) {
                replace(retained.get(each), publish);
            }
        }
    }

    /** Whether the fault shows this time: one of so many. */
    private boolean isEach(int count) {
        occasions++;
        return occasions % count == 0;
    }
}
