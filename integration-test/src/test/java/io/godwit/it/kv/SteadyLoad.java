package io.godwit.it.kv;

import io.godwit.it.kv.history.Reply;
import io.godwit.it.kv.history.Request;
import io.godwit.it.kv.node.FillText;
import io.godwit.testing.Pace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Clients of one node, a thread each, that write registers of their own at an even pace, and remember what was
 * acknowledged and when. A client's registers lie all over the interval that is given, those of neighbours beside each
 * other.
 */
final class SteadyLoad implements AutoCloseable {
    private static final int MILLIS = 10_000;
    private static final int REGISTERS = 50;
    /** From one register of a client to the next: to the other half and back, so that no part is left out for long. */
    private static final int STRIDE = 27;

    private final List<Client> clients = new ArrayList<>();
    private volatile boolean isOver;

    /**
     * Begins at once.
     *
     * @param clients at a time
     * @param numbers of the keys among which they write: up to this one
     * @param bytes of a value
     * @param pauseMillis between two writes of a client
     */
    SteadyLoad(InetSocketAddress node, int clients, long numbers, int bytes, int pauseMillis) {
        for (int i = 0; i < clients; i++) {
            this.clients.add(new Client(node, i, clients, numbers, bytes, pauseMillis));
        }
        this.clients.forEach(client -> client.thread.start());
    }

    /** An acknowledged write: when it was sent and when its reply came, on the clock of {@link System#nanoTime()}. */
    private record Write(String key, long sentNanos, long ackedNanos) {}

    /**
     * What came in a time.
     *
     * @param longestGapMillis between two acknowledgements, whoever's
     * @param worstMillis of a write
     */
    record Figures(
            double writesPerSecond, double p50Millis, double p99Millis, double worstMillis, double longestGapMillis) {
        @Override
        public String toString() {
            return "%.0f writes/s, p50 %.1f ms, p99 %.1f ms, worst %.0f ms, longest gap %.0f ms"
                    .formatted(writesPerSecond, p50Millis, p99Millis, worstMillis, longestGapMillis);
        }
    }

    /** Of registers from {@code start} on, up to {@code end}, whose writes were acknowledged in the time. */
    Figures figures(String start, String end, long fromNanos, long toNanos) {
        List<Long> took = new ArrayList<>();
        List<Long> acked = new ArrayList<>();
        for (Client client : clients) {
            for (Write write : client.writes()) {
                boolean isInside =
                        write.key().compareTo(start) >= 0 && write.key().compareTo(end) < 0;
                if (isInside && write.ackedNanos() - fromNanos >= 0 && write.ackedNanos() - toNanos < 0) {
                    took.add(write.ackedNanos() - write.sentNanos());
                    acked.add(write.ackedNanos());
                }
            }
        }
        if (took.isEmpty()) {
            return new Figures(0, 0, Double.MAX_VALUE, Double.MAX_VALUE, (toNanos - fromNanos) / 1e6);
        }
        Collections.sort(took);
        Collections.sort(acked);
        long gap = Math.max(acked.get(0) - fromNanos, toNanos - acked.get(acked.size() - 1));
        for (int i = 1; i < acked.size(); i++) {
            gap = Math.max(gap, acked.get(i) - acked.get(i - 1));
        }
        return new Figures(
                took.size() * 1e9 / (toNanos - fromNanos),
                took.get(took.size() / 2) / 1e6,
                took.get((int) (took.size() * 0.99)) / 1e6,
                took.get(took.size() - 1) / 1e6,
                gap / 1e6);
    }

    /** How many writes were not acknowledged: refused, or of an outcome that is not known. */
    int failures() {
        return clients.stream().mapToInt(client -> client.failures.get()).sum();
    }

    /** Stops the clients, when each has its last reply. */
    void finish() {
        isOver = true;
        try {
            for (Client client : clients) {
                client.thread.join(2 * MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Reads what they wrote from a node, when they have finished.
     *
     * @return what is wrong: a line for each register that has neither its last acknowledged value nor one whose
     *     outcome is not known
     */
    List<String> missing(InetSocketAddress node) throws IOException {
        List<String> wrong = new ArrayList<>();
        try (NodeClient reader = new NodeClient(node)) {
            for (Client client : clients) {
                for (Map.Entry<String, Set<String>> register : client.possible.entrySet()) {
                    Request read = Request.read(register.getKey());
                    Reply reply = Reply.parse(reader.ask(read.toString(), MILLIS, MILLIS + 5_000));
                    String value = reply.value();
                    boolean isEmptyRightly = value == null && !client.acked.containsKey(register.getKey());
                    if (reply.kind() != Reply.Kind.VALUE
                            || !isEmptyRightly && !register.getValue().contains(String.valueOf(value))) {
                        wrong.add(register.getKey() + " has " + reply);
                    }
                }
            }
        }
        return wrong;
    }

    @Override
    public void close() {
        finish();
    }

    /** One of them. Its fields are its thread's until that has ended, but for the writes. */
    private final class Client {
        private final InetSocketAddress node;
        private final int id;
        private final int clients;
        private final long numbers;
        private final int bytes;
        private final int pauseMillis;
        private final Thread thread;
        /** Guarded by itself: read while the load goes on. */
        private final List<Write> writes = new ArrayList<>();
        /** By register: the value that was acknowledged last, and those whose outcome is not known. */
        private final Map<String, Set<String>> possible = new HashMap<>();

        private final Map<String, String> acked = new HashMap<>();

        /** Counted by the writer, read by whoever judges. */
        private final AtomicInteger failures = new AtomicInteger();

        Client(InetSocketAddress node, int id, int clients, long numbers, int bytes, int pauseMillis) {
            this.node = node;
            this.id = id;
            this.clients = clients;
            this.numbers = numbers;
            this.bytes = bytes;
            this.pauseMillis = pauseMillis;
            this.thread = new Thread(this::run, "load-" + id);
            thread.setDaemon(true);
        }

        List<Write> writes() {
            synchronized (writes) {
                return List.copyOf(writes);
            }
        }

        private void run() {
            NodeClient connection = null;
            for (long turn = 0; !isOver; turn++) {
                Pace.passMillis(pauseMillis);
                connection = write(connection, turn);
            }
            drop(connection);
        }

        /** Returns the connection for the next one; null for a new one. */
        private @Nullable NodeClient write(@Nullable NodeClient connection, long turn) {
            long place = (turn * STRIDE % REGISTERS * clients + id) * numbers / (REGISTERS * (long) clients);
            String key = FillText.key(place) + "-live" + id; // behind the one that was filled in
            String value = FillText.value((turn * clients + id) ^ (1L << 40), bytes);
            NodeClient open = connection;
            long sent = System.nanoTime();
            Set<String> values = possible.computeIfAbsent(key, fresh -> new HashSet<>());
            values.add(value);
            try {
                if (open == null) {
                    open = new NodeClient(node);
                }
                Reply reply = Reply.parse(open.ask(Request.write(key, value).toString(), MILLIS, MILLIS + 5_000));
                if (reply.kind() == Reply.Kind.OK) {
                    String before = acked.put(key, value);
                    if (before != null) {
                        values.remove(before);
                    }
                    synchronized (writes) {
                        writes.add(new Write(key, sent, System.nanoTime()));
                    }
                } else {
                    failures.incrementAndGet();
                }
                return open;
            } catch (IOException e) {
                failures.incrementAndGet();
                drop(open);
                return null;
            }
        }

        private static void drop(@Nullable NodeClient connection) {
            try {
                if (connection != null) {
                    connection.close();
                }
            } catch (IOException e) {
                // gone as well
                return;
            }
        }
    }
}
