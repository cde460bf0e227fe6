package io.godwit.cluster.link.contact;

import io.godwit.cluster.link.stream.LinkStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The streams between the nodes of a {@link LinkSimulation}: which messages are on their way, which streams are broken,
 * and which nodes do not reach each other. On the thread of the simulation.
 */
final class SimulatedNetwork {
    private static final int READY_MESSAGES = 3;
    private static final Object HALF = "half";
    private static final Object CLOSE = "close";
    private static final Object CLOSE_HERE = new Object();

    /** A node, as the network sees it. */
    interface End {
        String id();

        boolean isDead();

        LinkStream.EventThread eventThread();

        /** Takes a stream that another node has dialed. */
        LinkStream.Events accept(LinkStream stream);
    }

    private final Random random;
    private final List<Wire> wires = new ArrayList<>();
    private final Set<String> apart = new HashSet<>();
    private int messages;

    SimulatedNetwork(Random random) {
        this.random = random;
    }

    /** One direction of a stream between two nodes. */
    private final class Wire {
        private final End from;
        private final End to;
        private final Deque<Object> queue = new ArrayDeque<>();
        private Stream end = new Stream(); // the receiving end
        private LinkStream.@Nullable Events events;
        private boolean isClosed;

        Wire(End from, End to) {
            this.from = from;
            this.to = to;
        }

        boolean canDeliver() {
            return !queue.isEmpty() && !to.isDead() && (queue.peek() == CLOSE_HERE || !isApart(from.id(), to.id()));
        }

        void deliver() {
            Object next = queue.remove();
            end.thread = to.eventThread();
            LinkStream.Events told = events;
            if (told == null) { // the other end has accepted it now
                told = to.accept(end);
                events = told;
            }
            if (next instanceof byte[] message) {
                told.received(message);
                if (queue.size() == READY_MESSAGES - 1 && end.in.reverse().events != null) {
                    end.in.reverse().events.writable();
                }
            } else if (next == HALF) {
                end.finish();
            } else {
                isClosed = true;
                told.closed("closed");
            }
        }

        private Wire reverse() {
            return end.out;
        }

        /** Nothing more arrives here; what has arrived is dropped. */
        void closeHere() {
            if (!isClosed) {
                queue.clear();
                queue.add(CLOSE_HERE);
                isShut = true;
            }
        }

        private boolean isShut;

        void put(Object what) {
            if (!isShut && !isClosed) {
                queue.add(what);
            }
        }
    }

    private final class Stream implements LinkStream {
        private Wire in;
        private Wire out;
        private boolean isDialed;
        private boolean isFinished;
        private @Nullable EventThread thread;

        @Override
        public @Nullable EventThread thread() {
            return thread;
        }

        @Override
        public boolean isReady() {
            return !isFinished && out.queue.size() < READY_MESSAGES;
        }

        @Override
        public void send(byte[] message) {
            if (!isFinished) {
                out.put(message);
                messages++;
            }
        }

        @Override
        public void finish() {
            if (!isFinished) {
                isFinished = true;
                if (isDialed) {
                    out.put(HALF);
                } else {
                    out.put(CLOSE);
                    in.closeHere();
                }
            }
        }

        @Override
        public void cancel(String why) {
            isFinished = true;
            out.put(CLOSE);
            in.closeHere();
        }
    }

    /** Returns the dialing end of a new stream; null if the nodes do not reach each other. */
    @Nullable
    LinkStream dial(End from, End to, LinkStream.Events events) {
        if (isApart(from.id(), to.id())) {
            return null;
        }
        Wire there = new Wire(from, to);
        Wire back = new Wire(to, from);
        back.events = events;
        Stream dialed = back.end;
        dialed.isDialed = true;
        for (Stream end : List.of(there.end, dialed)) {
            end.in = end == dialed ? back : there;
            end.out = end == dialed ? there : back;
        }
        wires.add(there);
        wires.add(back);
        return dialed;
    }

    private boolean isApart(String one, String other) {
        return apart.contains(one.compareTo(other) < 0 ? one + other : other + one);
    }

    /** For each stream with a message that can arrive now, a task that delivers it. */
    List<Runnable> deliveries() {
        wires.removeIf(wire -> wire.isClosed || wire.to.isDead());
        List<Runnable> deliveries = new ArrayList<>();
        for (Wire wire : wires) {
            if (wire.canDeliver()) {
                deliveries.add(wire::deliver);
            }
        }
        return deliveries;
    }

    /** The streams of a dead node close for the others. */
    void died(End node) {
        for (Wire wire : wires) {
            if (wire.from == node) {
                wire.put(CLOSE);
            }
        }
    }

    /** Breaks a connection; some of its messages still arrive. */
    void cut() {
        if (wires.isEmpty()) {
            return;
        }
        Wire wire = wires.get(random.nextInt(wires.size()));
        for (Wire each : List.of(wire, wire.reverse())) {
            if (each.isShut) {
                continue;
            }
            for (int left = random.nextInt(4); left > 0 && !each.queue.isEmpty(); left--) {
                each.queue.removeLast();
            }
            each.put(CLOSE);
            each.isShut = true;
        }
    }

    /** Number of messages that were sent. */
    int messages() {
        return messages;
    }

    /** Node a does not reach node b any more, and perhaps not c either. */
    void split() {
        apart.add("ab");
        if (random.nextBoolean()) {
            apart.add("ac");
        }
    }

    /** Ends all splits. */
    void join() {
        apart.clear();
    }
}
