package io.godwit.it.fake;

import io.godwit.it.wire.Packet;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A session of a fake broker, with its queue. Guarded by the server's lock. */
final class FakeSession {
    final String clientId;
    /** By filter. */
    final Map<String, Subscription> subscriptions = new LinkedHashMap<>();
    /** Received and not released, of QoS 2. */
    final Set<Integer> inbound = new HashSet<>();

    private final Deque<Entry> queue = new ArrayDeque<>();
    private final Map<Integer, Entry> inflight = new LinkedHashMap<>();
    /** Retained messages given since the last SUBSCRIBE. */
    private final List<Packet.Publish> given = new ArrayList<>();

    private int lastPacketId;
    private boolean reuses;

    @Nullable
    FakeConnection connection;

    /** Of the connection before, while the client is away. */
    Packet.@Nullable Will delayedWill;

    int receiveMaximum = 65_535;

    /** The node of its last connection, from 0. */
    int node;

    /** @param node through which it was made, from 0 */
    record Subscription(int qos, int node, long nanos) {}

    /** A message on its way to the client. */
    static final class Entry {
        final Packet.Publish publish;
        /** The shared subscription it is for; null for none. */
        final @Nullable String group;

        boolean sent;
        boolean released;

        Entry(Packet.Publish publish, @Nullable String group) {
            this.publish = publish;
            this.group = group;
        }
    }

    FakeSession(String clientId) {
        this.clientId = clientId;
    }

    void append(Entry entry) {
        queue.add(entry);
        send();
    }

    void remove(Entry entry) {
        queue.remove(entry);
        inflight.values().remove(entry);
    }

    /** Sends again what was in flight, then goes on with the queue. */
    void resume() {
        inflight.forEach((packetId, entry) -> {
            if (entry.released) {
                write(new Packet.Ack(Packet.Ack.Kind.PUBREL, packetId, 0));
            } else {
                write(with(entry, packetId));
            }
        });
        send();
    }

    void acknowledged(Packet.Ack ack) {
        switch (ack.kind()) {
            case PUBACK, PUBCOMP -> {
                inflight.remove(ack.packetId());
                send();
            }
            case PUBREC -> {
                Entry entry = inflight.get(ack.packetId());
                if (entry != null) {
                    entry.released = true;
                }
                write(new Packet.Ack(Packet.Ack.Kind.PUBREL, ack.packetId(), 0));
            }
            case PUBREL -> throw new IllegalArgumentException("PUBREL is the broker's here");
        }
    }

    /** What others of its groups get when it ends: QoS 1, and QoS 2 that was not sent. */
    List<Entry> leave() {
        List<Entry> left = new ArrayList<>(inflight.values());
        left.removeIf(entry -> entry.publish.qos() == 2);
        left.addAll(queue);
        left.removeIf(entry -> entry.group == null);
        return left;
    }

    void forgetSequence() {
        lastPacketId = 0;
        reuses = true;
    }

    void renumber() {
        List<Entry> entries = new ArrayList<>(inflight.values());
        inflight.clear();
        entries.forEach(entry -> inflight.put(nextPacketId(), entry));
    }

    void reverseQueue() {
        List<Entry> entries = new ArrayList<>(queue);
        queue.clear();
        entries.forEach(queue::addFirst);
    }

    void beginReplay() {
        given.clear();
    }

    void repeatReplay() {
        if (queue.stream().anyMatch(entry -> entry.publish.retain())) {
            given.forEach(publish -> queue.add(new Entry(publish, null)));
        }
    }

    void dropReplay() {
        queue.removeIf(entry -> entry.publish.retain());
    }

    private void send() {
        while (connection != null && inflight.size() < receiveMaximum && !queue.isEmpty()) {
            Entry entry = queue.remove();
            if (entry.publish.retain()) {
                given.add(entry.publish);
            }
            if (entry.publish.qos() == 0) {
                write(entry.publish);
                continue;
            }
            int packetId = nextPacketId();
            inflight.put(packetId, entry);
            write(with(entry, packetId));
        }
    }

    private static Packet.Publish with(Entry entry, int packetId) {
        Packet.Publish publish = entry.publish;
        boolean dup = entry.sent;
        entry.sent = true;
        return new Packet.Publish(
                publish.topic(),
                publish.payload(),
                publish.qos(),
                dup,
                publish.retain(),
                packetId,
                publish.properties());
    }

    private int nextPacketId() {
        do {
            lastPacketId = lastPacketId % 65_535 + 1;
        } while (inflight.containsKey(lastPacketId) && !reuses);
        return lastPacketId;
    }

    private void write(Packet packet) {
        if (connection != null) {
            connection.write(packet);
        }
    }
}
