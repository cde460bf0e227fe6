package io.godwit.it.kv;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.kv.history.History;
import io.godwit.it.kv.history.Operation;
import io.godwit.it.kv.history.Reply;
import io.godwit.it.kv.history.Request;
import io.godwit.it.kv.node.NodeOptions.Fault;
import io.godwit.it.kv.node.OperatorText;
import io.godwit.it.kv.node.OperatorText.RangeText;
import io.godwit.kv.raft.RaftSettings;
import io.godwit.testing.Await;
import io.godwit.testing.Pace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A leader sleeps (SIGSTOP) while the others elect another one and acknowledge writes. Reads have gathered in its
 * sockets when it wakes up, and more come at once: none is answered with a value that has been overwritten before it
 * was asked.
 *
 * <p>Beside each read goes one that takes what the node has and asks nobody ({@code peek}), into a history of its own.
 * That history must be found out: so there was something stale to be read, and asking the others, the ReadIndex, is
 * what kept it from being answered.
 */
class StaleReadTest {
    private static final Logger LOG = LoggerFactory.getLogger(StaleReadTest.class);

    private static final String KEY = "k";
    /** Of each kind, over each connection one. */
    private static final int QUEUED = 60;

    private static final int AT_ONCE = 30;
    private static final long AT_ONCE_MILLIS = 1_500;
    private static final int PATIENCE_MILLIS = 60_000;
    /** Writes by which the others are ahead before it wakes up. */
    private static final int WRITES_AHEAD = 20;

    @TempDir
    private Path data;

    @Test
    @Tag("full")
    @Tag("alone")
    void aLeaderThatSleptThroughAnElectionReadsNothingStale() throws Exception {
        sleep(2_000, 0);
    }

    @Test
    @Tag("long")
    void aLeaderThatSleptForHalfAMinuteReadsNothingStale() throws Exception {
        sleep(RaftSettings.DEFAULT.electionTimeoutMillis(), 30_000);
    }

    private void sleep(int electionMillis, long leastMillis) throws Exception {
        Path logs = Path.of("target", "stale-read-" + electionMillis).toAbsolutePath();
        try (TestCluster cluster = new TestCluster(
                        3,
                        new ProcessHosts(3, data, logs, false),
                        List.of(),
                        Fault.GENUINE,
                        NodeTerms.SMALL.withElectionMillis(electionMillis).withVotersSoon());
                History asked = new History(logs.resolve("history"));
                History peeked = new History(logs.resolve("peeked"))) {
            cluster.start();
            for (int node = 0; node < 3; node++) {
                cluster.awaitServing(node, PATIENCE_MILLIS);
            }
            cluster.awaitVoters(0, 3, PATIENCE_MILLIS);
            int leader = leader(cluster);
            try (Writer writer = new Writer(cluster.node((leader + 1) % 3).address(), asked, peeked)) {
                Readers readers = new Readers(cluster.node(leader).address(), asked, peeked);
                writer.awaitAcknowledged(WRITES_AHEAD);
                readers.connect(2 * QUEUED);
                cluster.node(leader).pause();
                long begin = System.nanoTime();
                writer.awaitAcknowledged(writer.acknowledged() + WRITES_AHEAD);
                LOG.info("the others go on {} ms after the stop", millisSince(begin));
                readers.queue();
                writer.awaitAcknowledged(writer.acknowledged() + WRITES_AHEAD);
                Pace.until(begin + TimeUnit.MILLISECONDS.toNanos(leastMillis));
                LOG.info("waking up after {} ms", millisSince(begin));
                cluster.node(leader).goOn();
                readers.ask(AT_ONCE, AT_ONCE_MILLIS);
                readers.awaitAll();
                assertThat(readers.answered.get()).isGreaterThanOrEqualTo(QUEUED + AT_ONCE);
            }
            List<String> stale = staleReads(asked.operations());
            List<String> peekedStale = staleReads(peeked.operations());
            LOG.info("stale reads: {}, stale peeks: {}", stale.size(), peekedStale.size());
            assertThat(stale).isEmpty();
            assertThat(peekedStale)
                    .as("stale reads by a client that does not ask the majority")
                    .isNotEmpty();
        }
    }

    /**
     * Reads that were shown less than had been acknowledged before they were asked. Since one writes, one value after
     * the other, that is all that can be stale; hundreds of reads at once would be too much for a search for an order.
     */
    private static List<String> staleReads(List<Operation> operations) {
        List<Operation> acknowledged = operations.stream()
                .filter(each -> each.request().kind() == Request.Kind.WRITE)
                .filter(each -> each.reply().kind() == Reply.Kind.OK)
                .toList();
        List<String> stale = new ArrayList<>();
        for (Operation read : operations) {
            if (read.reply().kind() == Reply.Kind.VALUE) {
                int least = acknowledged.stream()
                        .filter(write -> write.returnedNanos() < read.invokedNanos())
                        .mapToInt(write -> numberOf(write.request().value()))
                        .max()
                        .orElse(-1);
                if (numberOf(read.reply().value()) < least) {
                    stale.add(read + ", but " + least + " had been acknowledged");
                }
            }
        }
        return stale;
    }

    /** As the writer has it; less than all for no value. */
    private static int numberOf(@Nullable String value) {
        return value == null ? -1 : Integer.parseInt(value.substring(1));
    }

    private static int leader(TestCluster cluster) throws IOException {
        String answer = cluster.operate(0, "ranges", 2_000);
        RangeText range =
                OperatorText.ranges(answer.substring("done ".length())).get(0);
        for (int node = 0; node < cluster.size(); node++) {
            if (cluster.operate(node, "self", 2_000).equals("done " + range.leader())) {
                return node;
            }
        }
        throw new IOException("nobody leads: " + answer);
    }

    private static long millisSince(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
    }

    /** Writes one value after the other over a node that stays awake. */
    private static final class Writer implements AutoCloseable {
        private final InetSocketAddress address;
        private final History asked;
        private final History peeked;
        private final Thread thread = new Thread(this::run, "writer");
        private final AtomicInteger acknowledged = new AtomicInteger();
        private volatile boolean isOver;

        Writer(InetSocketAddress address, History asked, History peeked) {
            this.address = address;
            this.asked = asked;
            this.peeked = peeked;
            thread.setDaemon(true);
            thread.start();
        }

        private void run() {
            try (NodeClient client = new NodeClient(address)) {
                for (int i = 0; !isOver; i++) {
                    Request write = Request.write(KEY, "v" + i);
                    int number = asked.invoked("writer", write);
                    int same = peeked.invoked("writer", write);
                    Reply reply = Reply.parse(client.ask(write.toString(), PATIENCE_MILLIS, PATIENCE_MILLIS));
                    asked.returned(number, reply);
                    peeked.returned(same, reply);
                    if (reply.kind() == Reply.Kind.OK) {
                        acknowledged.incrementAndGet();
                    }
                    Pace.passMillis(20);
                }
            } catch (IOException e) {
                LOG.error("the writer has failed", e); // and nobody is ahead of anybody
            }
        }

        int acknowledged() {
            return acknowledged.get();
        }

        void awaitAcknowledged(int count) throws IOException {
            Await looks = Await.atMost(Duration.ofMillis(PATIENCE_MILLIS));
            while (acknowledged.get() < count) {
                if (!looks.again()) {
                    throw new IOException(acknowledged + " of " + count + " writes acknowledged");
                }
            }
        }

        @Override
        public void close() {
            isOver = true;
            try {
                thread.join(PATIENCE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Reads over the node that sleeps, each over a connection of its own. */
    private static final class Readers {
        private final InetSocketAddress address;
        private final History asked;
        private final History peeked;
        private final List<NodeClient> connected = new ArrayList<>();
        private final List<Thread> threads = new ArrayList<>();
        private final AtomicInteger names = new AtomicInteger();
        final AtomicInteger answered = new AtomicInteger();

        Readers(InetSocketAddress address, History asked, History peeked) {
            this.address = address;
            this.asked = asked;
            this.peeked = peeked;
        }

        /** While it is awake, which whoever connects to it while it sleeps must wait for. */
        void connect(int count) throws IOException {
            for (int i = 0; i < count; i++) {
                NodeClient client = new NodeClient(address);
                client.ask(Request.read(KEY).toString(), PATIENCE_MILLIS, PATIENCE_MILLIS);
                connected.add(client);
            }
        }

        /** A read or a peek over each of these connections; they wait in its sockets. */
        void queue() {
            for (int i = 0; i < connected.size(); i += 2) {
                run(connected.get(i), client -> read(client, "r"));
                run(connected.get(i + 1), client -> peek(client, "p"));
            }
        }

        /** One after the other for so long, at first while it wakes up. */
        void ask(int count, long millis) throws IOException {
            long begin = System.nanoTime();
            for (int i = 0; i < count; i++) {
                run(new NodeClient(address), client -> {
                    while (millisSince(begin) < millis) {
                        read(client, "s");
                        peek(client, "t");
                    }
                });
            }
        }

        private interface Turn {
            void run(NodeClient client) throws IOException;
        }

        private void run(NodeClient open, Turn turn) {
            Thread thread = new Thread(
                    () -> {
                        try (open) {
                            turn.run(open);
                        } catch (IOException e) {
                            LOG.warn("no answer: {}", e.toString());
                        }
                    },
                    "reader");
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }

        private void read(NodeClient client, String name) throws IOException {
            Request read = Request.read(KEY);
            int number = asked.invoked(name + names.incrementAndGet(), read);
            Reply reply = Reply.parse(client.ask(read.toString(), PATIENCE_MILLIS, PATIENCE_MILLIS));
            asked.returned(number, reply);
            if (reply.kind() == Reply.Kind.VALUE) {
                answered.incrementAndGet();
            }
        }

        private void peek(NodeClient client, String name) throws IOException {
            int number = peeked.invoked(name + names.incrementAndGet(), Request.read(KEY));
            String answer = client.ask("operate peek " + KEY, PATIENCE_MILLIS, PATIENCE_MILLIS);
            peeked.returned(number, Reply.parse(answer.substring("done ".length())));
        }

        void awaitAll() throws InterruptedException {
            for (Thread thread : threads) {
                thread.join(PATIENCE_MILLIS);
            }
        }
    }
}
