package io.godwit.it.fake;

import io.godwit.it.broker.Broker;
import io.godwit.it.fake.FakeSession.Entry;
import io.godwit.it.fake.FakeSession.Subscription;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Packet.Ack;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One broker that can be killed. What a real one writes to disk stays in this object over a kill; which part of it is
 * forgotten is the {@link Fault}'s choice. All state is guarded by this object's lock.
 */
public final class FakeBroker extends FakeServer implements Broker {
    private static final long FORGOTTEN_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);
    private static final int ONLY_NODE = 0;

    private final Fault fault;
    private final FakeListener listener;

    // "on disk"
    private final Map<String, Packet.Publish> retained = new TreeMap<>();
    private final List<Packet.Will> willsOwed = new ArrayList<>();
    private final Deque<Change> changes = new ArrayDeque<>();

    // of the "process"
    private @Nullable Ack heldBack;
    private @Nullable FakeConnection heldBackFor;

    private record Change(long nanos, Fault forgottenBy, Runnable undo) {}

    public FakeBroker(Fault fault) throws IOException {
        this.fault = fault;
        // the tokens matter for what is unacknowledged at the kill, so let there be plenty of that
        long latencyNanos = TimeUnit.MILLISECONDS.toNanos(fault == Fault.FORGETS_QOS2_TOKENS ? 150 : 25);
        this.listener = new FakeListener(this, ONLY_NODE, latencyNanos);
    }

    @Override
    public InetSocketAddress address() {
        return listener.address();
    }

    @Override
    public synchronized void launch() throws IOException {
        listener.open();
        List<Packet.Will> wills = List.copyOf(willsOwed);
        willsOwed.clear();
        wills.forEach(will -> publishWill(ONLY_NODE, will));
    }

    @Override
    public void awaitReady(Duration patience) {
        // it serves since launch()
    }

    @Override
    public synchronized void kill() throws IOException {
        if (!listener.isOpen()) {
            return;
        }
        listener.close();
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

    @Override
    Map<String, Packet.Publish> retainedAt(int node) {
        return retained;
    }

    @Override
    void retain(int node, Packet.Publish publish) {
        String topic = publish.topic();
        Packet.Publish before = replace(retained, publish);
        changed(Fault.FORGETS_RETAINED, () -> {
            if (before == null) {
                retained.remove(topic);
            } else {
                retained.put(topic, before);
            }
        });
    }

    @Override
    void deliver(int node, FakeSession to, Entry entry) {
        super.deliver(node, to, entry);
        changed(Fault.ACKNOWLEDGES_BEFORE_COMMIT, () -> to.remove(entry));
    }

    @Override
    void acknowledge(FakeConnection to, Ack ack) {
        if (fault == Fault.ACKNOWLEDGES_OUT_OF_ORDER && heldBack == null && ack.packetId() % 50 == 0) {
            heldBack = ack;
            heldBackFor = to;
            return;
        }
        super.acknowledge(to, ack);
        if (heldBack != null && heldBackFor == to) {
            super.acknowledge(to, heldBack);
            heldBack = null;
        }
    }

    @Override
    @Nullable
    Subscription subscribe(FakeSession session, String filter, Subscription subscription) {
        Subscription before = super.subscribe(session, filter, subscription);
        if (before == null) {
            changed(Fault.FORGETS_SUBSCRIPTIONS, () -> session.subscriptions.remove(filter));
        }
        return before;
    }

    @Override
    @Nullable
    Subscription unsubscribe(FakeSession session, String filter) {
        Subscription before = super.unsubscribe(session, filter);
        if (before != null) {
            changed(Fault.FORGETS_UNSUBSCRIPTIONS, () -> session.subscriptions.put(filter, before));
        }
        return before;
    }

    @Override
    void begunAnew(int node, FakeSession before) {
        if (fault != Fault.KEEPS_GROUP_MESSAGES) {
            super.begunAnew(node, before);
        }
    }
}
