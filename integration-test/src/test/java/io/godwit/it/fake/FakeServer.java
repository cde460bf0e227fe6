package io.godwit.it.fake;

import io.godwit.it.fake.FakeSession.Entry;
import io.godwit.it.fake.FakeSession.Subscription;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Packet.Ack;
import io.godwit.it.wire.Properties;
import io.godwit.it.wire.TopicMatch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * As much of MQTT as the crash load uses, for one fake broker or for the nodes of a fake cluster, which share this
 * object. It keeps every promise; a subclass overrides a step to break one. All state is guarded by this object's lock.
 */
abstract class FakeServer {
    private static final String SHARE = "$share/";

    /** By client id. */
    final Map<String, FakeSession> sessions = new LinkedHashMap<>();
    /** In the order in which they were accepted. */
    final Set<FakeConnection> connections = new LinkedHashSet<>();

    private final Map<String, Integer> turns = new HashMap<>();

    // --- steps that a subclass defines or overrides

    /** The retained messages that a client of this node finds, by topic. */
    abstract Map<String, Packet.Publish> retainedAt(int node);

    /** Stores a retained message that came through this node, or clears the one of its topic. */
    abstract void retain(int node, Packet.Publish publish);

    /** Gives a message that came through this node to a session. */
    void deliver(int node, FakeSession to, Entry entry) {
        to.append(entry);
    }

    void acknowledge(FakeConnection to, Ack ack) {
        to.write(ack);
    }

    /** Returns the subscription that this one replaces, null for none. */
    @Nullable
    Subscription subscribe(FakeSession session, String filter, Subscription subscription) {
        return session.subscriptions.put(filter, subscription);
    }

    /** Returns the subscription that has ended, null for none. */
    @Nullable
    Subscription unsubscribe(FakeSession session, String filter) {
        return session.subscriptions.remove(filter);
    }

    /** Whether a publish through this node reaches the subscription. */
    boolean sees(int node, Subscription subscription) {
        return true;
    }

    /** Another connection of the same client takes the place of the old one. */
    void takenOver(FakeConnection old, FakeConnection by) {
        connections.remove(old);
        gone(old);
        old.close();
    }

    /** The client of a delayed will is back. It is in time: no run lasts until a delay is over. */
    void cameBack(FakeSession session, FakeConnection by, Packet.Will delayedWill) {}

    void disconnected(FakeConnection from) {
        from.will = null;
        from.close();
    }

    /** A client has begun a new session; the other members of its groups get what the one before had for them. */
    void begunAnew(int node, FakeSession before) {
        before.leave().forEach(entry -> giveToGroup(node, String.valueOf(entry.group), entry.publish));
    }

    void pinged(FakeConnection from) {
        from.write(new Packet.PingResponse());
    }

    void connected(FakeConnection from, Packet.Connect connect) {
        FakeSession before = sessions.get(connect.clientId());
        if (before != null && before.connection != null) {
            takenOver(before.connection, from);
        }
        boolean present = before != null && !connect.clean();
        FakeSession session = present ? before : new FakeSession(connect.clientId());
        sessions.put(connect.clientId(), session);
        Packet.Will delayedWill = session.delayedWill;
        if (delayedWill != null) {
            session.delayedWill = null;
            cameBack(session, from, delayedWill);
        }
        session.connection = from;
        session.node = from.node;
        session.receiveMaximum =
                (int) connect.properties().number(Properties.RECEIVE_MAXIMUM).orElse(65_535);
        from.session = session;
        from.will = connect.will();
        from.write(new Packet.Connack(present, 0, Properties.NONE));
        session.resume();
        if (before != null && !present) {
            begunAnew(from.node, before);
        }
    }

    // --- what connections tell

    final synchronized void received(FakeConnection from, Packet packet) {
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
            unsubscribe.filters().forEach(filter -> unsubscribe(session, filter));
            // 5.0 wants codes; the client does not look at them
            from.write(new Packet.Unsuback(unsubscribe.packetId(), List.of()));
        } else if (packet instanceof Packet.PingRequest) {
            pinged(from);
        } else if (packet instanceof Packet.Disconnect) {
            disconnected(from);
        }
    }

    final synchronized void ended(FakeConnection connection) {
        if (connections.remove(connection)) {
            gone(connection);
        }
    }

    /** A connection has ended without a DISCONNECT. */
    final void gone(FakeConnection connection) {
        detach(connection);
        FakeSession session = connection.session;
        Packet.Will will = connection.will;
        connection.will = null;
        if (session != null && will != null) {
            if (isDelayed(will)) {
                session.delayedWill = will;
            } else {
                publishWill(connection.node, will);
            }
        }
    }

    static boolean isDelayed(Packet.Will will) {
        return will.properties().number(Properties.WILL_DELAY).orElse(0) > 0;
    }

    static void detach(FakeConnection connection) {
        FakeSession session = connection.session;
        if (session != null && session.connection == connection) {
            session.connection = null;
        }
    }

    private void published(FakeConnection from, FakeSession session, Packet.Publish publish) {
        switch (publish.qos()) {
            case 0 -> distribute(from.node, publish);
            case 1 -> {
                distribute(from.node, publish);
                acknowledge(from, new Ack(Ack.Kind.PUBACK, publish.packetId(), 0));
            }
            default -> {
                if (session.inbound.add(publish.packetId())) {
                    distribute(from.node, publish);
                }
                from.write(new Ack(Ack.Kind.PUBREC, publish.packetId(), 0));
            }
        }
    }

    private void subscribed(FakeConnection from, FakeSession session, Packet.Subscribe subscribe) {
        List<Integer> codes = new ArrayList<>();
        for (Packet.Request request : subscribe.requests()) {
            int qos = request.options() & 3;
            codes.add(qos);
            subscribe(session, request.filter(), new Subscription(qos, from.node, System.nanoTime()));
        }
        from.write(new Packet.Suback(subscribe.packetId(), codes));
        session.beginReplay();
        for (Packet.Request request : subscribe.requests()) {
            retainedAt(from.node).forEach((topic, message) -> {
                if (TopicMatch.matches(request.filter(), topic)) {
                    deliver(from.node, session, entry(message, request.options() & 3, true, null));
                }
            });
        }
    }

    // --- distribution

    final void publishWill(int node, Packet.Will will) {
        distribute(
                node,
                new Packet.Publish(will.topic(), will.payload(), will.qos(), false, will.retain(), 0, Properties.NONE));
    }

    private void distribute(int node, Packet.Publish publish) {
        if (publish.retain()) {
            retain(node, publish);
        }
        Map<String, List<FakeSession>> groups = new LinkedHashMap<>();
        for (FakeSession session : sessions.values()) {
            int qos = -1;
            for (Map.Entry<String, Subscription> each : session.subscriptions.entrySet()) {
                String filter = each.getKey();
                if (!sees(node, each.getValue())) {
                    continue;
                }
                if (filter.startsWith(SHARE)) {
                    if (TopicMatch.matches(
                            filter.substring(filter.indexOf('/', SHARE.length()) + 1), publish.topic())) {
                        groups.computeIfAbsent(filter, key -> new ArrayList<>()).add(session);
                    }
                } else if (TopicMatch.matches(filter, publish.topic())) {
                    qos = Math.max(qos, each.getValue().qos());
                }
            }
            if (qos >= 0) {
                deliver(node, session, entry(publish, qos, false, null));
            }
        }
        groups.forEach((filter, members) -> giveTo(node, members, filter, publish));
    }

    private void giveToGroup(int node, String filter, Packet.Publish publish) {
        List<FakeSession> members = sessions.values().stream()
                .filter(session -> session.subscriptions.containsKey(filter))
                .toList();
        if (!members.isEmpty()) {
            giveTo(node, members, filter, publish);
        }
    }

    private void giveTo(int node, List<FakeSession> members, String filter, Packet.Publish publish) {
        FakeSession chosen = members.get(turns.merge(filter, 1, Integer::sum) % members.size());
        int qos =
                Objects.requireNonNull(chosen.subscriptions.get(filter), filter).qos();
        deliver(node, chosen, entry(publish, qos, false, filter));
    }

    private static Entry entry(Packet.Publish publish, int subscribedQos, boolean fromStore, @Nullable String group) {
        int qos = Math.min(publish.qos(), subscribedQos);
        return new Entry(
                new Packet.Publish(publish.topic(), publish.payload(), qos, false, fromStore, 0, publish.properties()),
                group);
    }

    /** Puts a retained message in its place among others, or clears it; returns the one before. */
    static Packet.@Nullable Publish replace(Map<String, Packet.Publish> retained, Packet.Publish publish) {
        return publish.payload().length == 0
                ? retained.remove(publish.topic())
                : retained.put(publish.topic(), publish);
    }
}
