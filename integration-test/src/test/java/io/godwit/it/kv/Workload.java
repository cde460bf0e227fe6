package io.godwit.it.kv;

import io.godwit.it.kv.history.History;
import io.godwit.it.kv.history.Reply;
import io.godwit.it.kv.history.Request;
import io.godwit.testing.Pace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Clients of all nodes, a thread each, that read, write and compare-and-set registers, and take down what they ask and
 * are answered. A few of them only read, with a patience that outlasts a node that stands still: when that one wakes up
 * it finds their requests.
 */
final class Workload implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Workload.class);

    private static final int KEYS = 40;
    /** How many keys at a time most requests are about, so that they meet. */
    private static final int HOT_KEYS = 5;

    private static final long HOT_NANOS = TimeUnit.MILLISECONDS.toNanos(700);
    private static final int PATIENT_CLIENTS = 3;
    private static final int PATIENT_MILLIS = 45_000;

    private final List<InetSocketAddress> addresses;
    private final History history;
    private final Random seeds;
    private final int clients;
    private final int pauseMillis;
    private final List<Thread> threads = new ArrayList<>();
    private final long begin = System.nanoTime();
    private volatile boolean isOver;
    private volatile @Nullable Throwable failure;

    /** @param pauseMillis between two requests of a client, on the average */
    Workload(List<InetSocketAddress> addresses, History history, long seed, int clients, int pauseMillis) {
        this.addresses = addresses;
        this.history = history;
        this.seeds = new Random(seed);
        this.clients = clients;
        this.pauseMillis = pauseMillis;
    }

    static List<String> keys() {
        return IntStream.range(0, KEYS)
                .mapToObj(number -> String.format("k%02d", number))
                .toList();
    }

    void start() {
        for (int i = 0; i < clients; i++) {
            run(new Client("c" + i, new Random(seeds.nextLong()), false));
        }
        for (int i = 0; i < PATIENT_CLIENTS; i++) {
            run(new Client("p" + i, new Random(seeds.nextLong()), true));
        }
    }

    private void run(Client client) {
        Thread thread = new Thread(
                () -> {
                    try {
                        client.run();
                    } catch (RuntimeException e) {
                        LOG.error("client {} has failed", client.name, e);
                        failure = e;
                    }
                },
                client.name);
        thread.setDaemon(true);
        thread.start();
        threads.add(thread);
    }

    /**
     * Ends the clients, when each has its last reply.
     *
     * @throws IllegalStateException if a client could not do its part
     */
    void finish() {
        isOver = true;
        try {
            for (Thread thread : threads) {
                thread.join(PATIENT_MILLIS + 10_000L);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Throwable cause = failure;
        if (cause != null) {
            throw new IllegalStateException("a client has failed", cause);
        }
    }

    @Override
    public void close() {
        finish();
    }

    /**
     * Reads every register over every node, as often as it takes to be answered.
     *
     * @throws IOException if one is not answered in time: a node that is whole again must serve
     */
    void readAll(long patienceMillis) throws IOException {
        for (int node = 0; node < addresses.size(); node++) {
            Client reader = new Client("last" + node, new Random(0), false);
            long giveUp = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMillis);
            for (String key : keys()) {
                Reply reply;
                do {
                    reply = reader.ask(Request.read(key), node, 5_000);
                    if (System.nanoTime() > giveUp) {
                        throw new IOException("no answer to read " + key + " over node " + (node + 1) + " after "
                                + patienceMillis + " ms; the last one was " + reply);
                    }
                } while (reply == null || reply.kind() != Reply.Kind.VALUE);
            }
            reader.disconnect();
        }
    }

    private final class Client {
        private final String name;
        private final Random random;
        private final boolean isPatient;
        private final List<String> keys = keys();
        /** What it knows of registers; old, mostly. */
        private final Map<String, String> known = new HashMap<>();

        private @Nullable NodeClient connection;
        private int connectedTo = -1;
        private int written;

        Client(String name, Random random, boolean isPatient) {
            this.name = name;
            this.random = random;
            this.isPatient = isPatient;
        }

        void run() {
            while (!isOver) {
                int node = connectedTo >= 0 && random.nextInt(20) > 0 ? connectedTo : random.nextInt(addresses.size());
                Reply reply = ask(request(), node, isPatient ? PATIENT_MILLIS : 1_000 + random.nextInt(4_000));
                boolean isRefused = reply == null || reply.kind() == Reply.Kind.FAIL;
                Pace.passNanos(TimeUnit.MILLISECONDS.toNanos(isRefused ? 100 : 0)
                        + (long) (random.nextDouble() * 2 * pauseMillis * 1_000_000));
            }
            disconnect();
        }

        private Request request() {
            String key = key();
            int choice = isPatient ? 0 : random.nextInt(100);
            if (choice < 40) {
                return Request.read(key);
            }
            String value = RegisterValue.of(name + '.' + written++, 100 + random.nextInt(800));
            return choice < 72 ? Request.write(key, value) : Request.cas(key, known.get(key), value);
        }

        private String key() {
            if (random.nextInt(4) == 0) {
                return keys.get(random.nextInt(keys.size()));
            }
            long turn = (System.nanoTime() - begin) / HOT_NANOS;
            return keys.get((int) ((turn * 7 + random.nextInt(HOT_KEYS) * 11L) % keys.size()));
        }

        /**
         * The reply as it stands in the history; null when the request could not be sent, and is not in the history.
         */
        private @Nullable Reply ask(Request request, int node, int millis) {
            NodeClient open = connect(node);
            if (open == null) {
                return null;
            }
            int number = history.invoked(name, RegisterValue.shortened(request));
            Reply reply;
            try {
                String text = open.ask(request.toString(), millis, millis + 500);
                reply = RegisterValue.shortened(Reply.parse(text));
            } catch (IOException e) {
                disconnect();
                reply = Reply.unknown(e.getClass().getSimpleName() + ' ' + e.getMessage());
            }
            history.returned(number, reply);
            learn(request, reply);
            return reply;
        }

        private void learn(Request request, Reply reply) {
            boolean hasSeen = reply.kind() == Reply.Kind.VALUE || reply.kind() == Reply.Kind.MISMATCH;
            String value = hasSeen ? reply.value() : null;
            if (reply.kind() == Reply.Kind.OK && request.value() != null) {
                known.put(request.key(), request.value());
            } else if (value != null) {
                known.put(request.key(), RegisterValue.lengthened(value));
            } else if (hasSeen) {
                known.remove(request.key());
            }
        }

        private @Nullable NodeClient connect(int node) {
            NodeClient open = connection;
            if (open != null && connectedTo == node) {
                return open;
            }
            disconnect();
            try {
                connection = new NodeClient(addresses.get(node));
                connectedTo = node;
            } catch (IOException e) {
                LOG.debug("node {} cannot be reached: {}", node, e.toString());
            }
            return connection;
        }

        void disconnect() {
            NodeClient open = connection;
            connection = null;
            connectedTo = -1;
            if (open != null) {
                try {
                    open.close();
                } catch (IOException e) {
                    LOG.debug("not closed", e);
                }
            }
        }
    }
}
