package io.godwit.it.fake;

import io.godwit.it.broker.Broker;
import io.godwit.it.broker.Ports;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Packet.Ack;
import io.godwit.it.wire.Properties;
import io.godwit.it.wire.TopicMatch;
import io.godwit.testing.Await;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * As much of a broker as the crash load uses. What a real one writes to disk stays in this object over a kill; which
 * part of it is forgotten is the {@link Fault}'s choice. All state is guarded by this object's lock.
 */
public final class FakeBroker implements Broker {
    private static final long FORGOTTEN_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);
    private static final String SHARE = "$share/";

    private final InetSocketAddress address;
    private final Fault fault;
    private final long latencyNanos;

    // "on disk"
    private final Map<String, FakeSession> sessions = new LinkedHashMap<>();
    private final Map<String, Packet.Publish> retained = new TreeMap<>();
    private final List<Packet.Will> willsOwed = new ArrayList<>();
    private final Deque<Change> changes = new ArrayDeque<>();

    // of the "process"
    private final Set<FakeConnection> connections = new HashSet<>();
    private final Map<String, Integer> turns = new HashMap<>();
    private @Nullable ServerSocket server;
    private @Nullable Ack heldBack;
    private @Nullable FakeConnection heldBackFor;

    private record Change(long nanos, Fault forgottenBy, Runnable undo) {}

    public FakeBroker(Fault fault) throws IOException {
        this.fault = fault;
        // the tokens matter for what is unacknowledged at the kill, so let there be plenty of that
        this.latencyNanos = TimeUnit.MILLISECONDS.toNanos(fault == Fault.FORGETS_QOS2_TOKENS ? 150 : 25);
        this.address = Ports.free();
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public synchronized void launch() throws IOException {
        ServerSocket listening = listen();
        server = listening;
        List<Packet.Will> wills = List.copyOf(willsOwed);
        willsOwed.clear();
        wills.forEach(this::publishWill);
        Thread acceptor = new Thread(() -> accept(listening), "fake-accept");
        acceptor.setDaemon(true);
        acceptor.start();
    }

    private ServerSocket listen() throws IOException {
        ServerSocket listening = new ServerSocket();
        Await looks = Await.atMost(Duration.ofSeconds(10));
        while (true) {
            try {
                listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), address.getPort()));
                return listening;
            } catch (BindException e) {
                // the old socket is closed only when the thread that accepts has left it
                if (!looks.again()) {
                    throw e;
                }
            }
        }
    }

    @Override
    public void awaitReady(Duration patience) {
        // it serves since launch()
    }

    @Override
    public synchronized void kill() throws IOException {
        ServerSocket listening = server;
        server = null;
        if (listening == null) {
            return;
        }
        listening.close();
        List<FakeConnection> open = List.copyOf(connections);
        connections.clear();
        for (FakeConnection connection : open) {
            if (connection.will != null && fault != Fault.FORGETS_WILLS) {
                willsOwed.add(connection.will);
            }
            connection.will = null;
            detach(connection);
            connection.close();
        }
        heldBack = null;
        forget();
    }

    @Override
    public void close() throws IOException {
        kill();
    }

    private void forget() {
        long now = System.nanoTime();
        while (!changes.isEmpty()) {
            Change change = changes.removeLast();
            if (change.forgottenBy == fault && now - change.nanos < FORGOTTEN_NANOS) {
                change.undo.run();
            }
        }
        for (FakeSession session : sessions.values()) {
            switch (fault) {
                case FORGETS_QOS2_TOKENS -> session.inbound.clear();
                case REUSES_SEQUENCES -> session.forgetSequence();
                case RENUMBERS_PACKET_IDS -> session.renumber();
                case REORDERS -> session.reverseQueue();
                case REPEATS_RETAINED -> session.repeatReplay();
                case DROPS_RETAINED -> session.dropReplay();
                default -> {}
            }
        }
    }

    private void changed(Fault forgottenBy, Runnable undo) {
        if (forgottenBy == fault) {
            changes.add(new Change(System.nanoTime(), forgottenBy, undo));
        }
    }

    private void accept(ServerSocket listening) {
        try {
            while (true) {
                FakeConnection connection = new FakeConnection(this, listening.accept(), latencyNanos);
                synchronized (this) {
                    if (server != listening) {
                        connection.close();
                        return;
                    }
                    connections.add(connection);
                }
                connection.start();
            }
        } catch (IOException e) {
            // killed
        }
    }

    synchronized void received(FakeConnection from, Packet packet) {
        if (!connections.contains(from)) {
            return;
        }
        FakeSession session = from.session;
        if (packet instanceof Packet.Connect connect) {
            connected(from, connect);
        } else if (session == null) {
            from.close();
        } else if (packet instanceof Packet.Publish publish) {
            published(from, session, publish);
        } else if (packet instanceof Ack ack) {
            if (ack.kind() == Ack.Kind.PUBREL) {
                session.inbound.remove(ack.packetId());
                from.write(new Ack(Ack.Kind.PUBCOMP, ack.packetId(), 0));
            } else {
                session.acknowledged(ack);
            }
        } else if (packet instanceof Packet.Subscribe subscribe) {
            subscribed(from, session, subscribe);
        } else if (packet instanceof Packet.Unsubscribe unsubscribe) {
            for (String filter : unsubscribe.filters()) {
                Integer before = session.subscriptions.remove(filter);
                if (before != null) {
                    changed(Fault.FORGETS_UNSUBSCRIPTIONS, () -> session.subscriptions.put(filter, before));
                }
            }
            // 5.0 wants codes; the client does not look at them
            from.write(new Packet.Unsuback(unsubscribe.packetId(), List.of()));
        } else if (packet instanceof Packet.Disconnect) {
            from.will = null;
            from.close();
        }
    }

    synchronized void ended(FakeConnection connection) {
        if (connections.remove(connection)) {
            gone(connection);
        }
    }

    private void gone(FakeConnection connection) {
        detach(connection);
        Packet.Will will = connection.will;
        connection.will = null;
        if (will != null) {
            publishWill(will);
        }
    }

    private void detach(FakeConnection connection) {
        FakeSession session = connection.session;
        if (session != null && session.connection == connection) {
            session.connection = null;
        }
    }

    private void connected(FakeConnection from, Packet.Connect connect) {
        FakeSession before = sessions.get(connect.clientId());
        if (before != null && before.connection != null) {
            FakeConnection old = before.connection;
            connections.remove(old);
            gone(old);
            old.close();
        }
        boolean present = before != null && !connect.clean();
        FakeSession session = present ? before : new FakeSession(connect.clientId());
        sessions.put(connect.clientId(), session);
        session.connection = from;
        session.receiveMaximum =
                (int) connect.properties().number(Properties.RECEIVE_MAXIMUM).orElse(65_535);
        from.session = session;
        from.will = connect.will();
        from.write(new Packet.Connack(present, 0, Properties.NONE));
        session.resume();
        if (before != null && !present && fault != Fault.KEEPS_GROUP_MESSAGES) {
            before.leave().forEach(entry -> giveToGroup(String.valueOf(entry.group), entry.publish));
        }
    }

    private void published(FakeConnection from, FakeSession session, Packet.Publish publish) {
        switch (publish.qos()) {
            case 0 -> distribute(publish);
            case 1 -> {
                distribute(publish);
                acknowledge(from, new Ack(Ack.Kind.PUBACK, publish.packetId(), 0));
            }
            default -> {
                if (session.inbound.add(publish.packetId())) {
                    distribute(publish);
                }
                from.write(new Ack(Ack.Kind.PUBREC, publish.packetId(), 0));
            }
        }
    }

    private void acknowledge(FakeConnection to, Ack ack) {
        if (fault == Fault.ACKNOWLEDGES_OUT_OF_ORDER && heldBack == null && ack.packetId() % 50 == 0) {
            heldBack = ack;
            heldBackFor = to;
            return;
        }
        to.write(ack);
        if (heldBack != null && heldBackFor == to) {
            to.write(heldBack);
            heldBack = null;
        }
    }

    private void subscribed(FakeConnection from, FakeSession session, Packet.Subscribe subscribe) {
        List<Integer> codes = new ArrayList<>();
        for (Packet.Request request : subscribe.requests()) {
            int qos = request.options() & 3;
            codes.add(qos);
            if (session.subscriptions.put(request.filter(), qos) == null) {
                changed(Fault.FORGETS_SUBSCRIPTIONS, () -> session.subscriptions.remove(request.filter()));
            }
        }
        from.write(new Packet.Suback(subscribe.packetId(), codes));
        session.beginReplay();
        for (Packet.Request request : subscribe.requests()) {
            retained.forEach((topic, message) -> {
                if (TopicMatch.matches(request.filter(), topic)) {
                    append(session, message, request.options() & 3, true, null);
                }
            });
        }
    }

    private void publishWill(Packet.Will will) {
        distribute(
                new Packet.Publish(will.topic(), will.payload(), will.qos(), false, will.retain(), 0, Properties.NONE));
    }

    private void distribute(Packet.Publish publish) {
        if (publish.retain()) {
            retain(publish);
        }
        Map<String, List<FakeSession>> groups = new LinkedHashMap<>();
        for (FakeSession session : sessions.values()) {
            int qos = -1;
            for (Map.Entry<String, Integer> subscription : session.subscriptions.entrySet()) {
                String filter = subscription.getKey();
                if (filter.startsWith(SHARE)) {
                    if (TopicMatch.matches(
                            filter.substring(filter.indexOf('/', SHARE.length()) + 1), publish.topic())) {
                        groups.computeIfAbsent(filter, key -> new ArrayList<>()).add(session);
                    }
                } else if (TopicMatch.matches(filter, publish.topic())) {
                    qos = Math.max(qos, subscription.getValue());
                }
            }
            if (qos >= 0) {
                append(session, publish, qos, false, null);
            }
        }
        groups.forEach((filter, members) -> giveTo(members, filter, publish));
    }

    private void giveToGroup(String filter, Packet.Publish publish) {
        List<FakeSession> members = sessions.values().stream()
                .filter(session -> session.subscriptions.containsKey(filter))
                .toList();
        if (!members.isEmpty()) {
            giveTo(members, filter, publish);
        }
    }

    private void giveTo(List<FakeSession> members, String filter, Packet.Publish publish) {
        FakeSession chosen = members.get(turns.merge(filter, 1, Integer::sum) % members.size());
        append(chosen, publish, chosen.subscriptions.get(filter), false, filter);
    }

    private void retain(Packet.Publish publish) {
        String topic = publish.topic();
        Packet.Publish before = publish.payload().length == 0 ? retained.remove(topic) : retained.put(topic, publish);
        changed(Fault.FORGETS_RETAINED, () -> {
            if (before == null) {
                retained.remove(topic);
            } else {
                retained.put(topic, before);
            }
        });
    }

    private void append(
            FakeSession session, Packet.Publish publish, int subscribedQos, boolean fromStore, @Nullable String group) {
        int qos = Math.min(publish.qos(), subscribedQos);
        FakeSession.Entry entry = new FakeSession.Entry(
                new Packet.Publish(publish.topic(), publish.payload(), qos, false, fromStore, 0, publish.properties()),
                group);
        session.append(entry);
        changed(Fault.ACKNOWLEDGES_BEFORE_COMMIT, () -> session.remove(entry));
    }
}
