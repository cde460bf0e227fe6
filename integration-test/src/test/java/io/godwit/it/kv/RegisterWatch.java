package io.godwit.it.kv;

import io.godwit.it.kv.history.Reply;
import io.godwit.it.kv.history.Request;
import io.godwit.testing.Pace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One register over one node: a writer that counts up and a reader, each with one request at a time and the next one
 * soon behind, who never stop. They keep when they were answered, and the reader looks whether it is shown less than
 * the writer had been acknowledged.
 */
final class RegisterWatch implements AutoCloseable {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LOST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private record Answered(long invokedNanos, long returnedNanos) {}

    private final String key;
    private final InetSocketAddress address;
    private final int deadlineMillis;
    private final List<Thread> threads = new ArrayList<>();
    private final List<Answered> writes = new ArrayList<>(); // guarded by itself
    private final List<Answered> reads = new ArrayList<>(); // guarded by itself
    /** The last count that was acknowledged. */
    private volatile long acknowledged;

    private volatile Optional<String> violation = Optional.empty();
    private volatile boolean isOver;
    /** The writer's: counts that were tried. */
    private long count;

    /** @param deadlineMillis of each request */
    RegisterWatch(String key, InetSocketAddress address, int deadlineMillis) {
        this.key = key;
        this.address = address;
        this.deadlineMillis = deadlineMillis;
    }

    String key() {
        return key;
    }

    void start() {
        start("writer " + key, client -> write(client));
        start("reader " + key, client -> read(client));
    }

    /** @param turn does one request; whether the connection is of use any more */
    private void start(String name, Function<NodeClient, Boolean> turn) {
        Thread thread = new Thread(
                () -> {
                    NodeClient client = null;
                    while (!isOver) {
                        client = client == null ? connected() : client;
                        if (client == null || !turn.apply(client)) {
                            close(client);
                            client = null;
                            Pace.passNanos(LOST_NANOS);
                        }
                        Pace.passNanos(PAUSE_NANOS);
                    }
                    close(client);
                },
                name);
        thread.setDaemon(true);
        thread.start();
        threads.add(thread);
    }

    private @Nullable NodeClient connected() {
        try {
            return new NodeClient(address);
        } catch (IOException e) {
            return null; // it is dead, and will be back
        }
    }

    private static void close(@Nullable NodeClient client) {
        try {
            if (client != null) {
                client.close();
            }
        } catch (IOException e) {
            return; // it was of no more use
        }
    }

    private boolean write(NodeClient client) {
        long next = ++count;
        return ask(client, Request.write(key, Long.toString(next)), writes, reply -> {
            if (reply.kind() == Reply.Kind.OK) {
                acknowledged = next;
            }
            return reply.kind() == Reply.Kind.OK;
        });
    }

    private boolean read(NodeClient client) {
        long least = acknowledged;
        return ask(client, Request.read(key), reads, reply -> {
            String value = reply.value();
            if (reply.kind() == Reply.Kind.VALUE && (value == null ? 0 : Long.parseLong(value)) < least) {
                violation = Optional.of(key + " over " + address + " is " + value + ", but " + least
                        + " had been acknowledged before it was asked for");
            }
            return reply.kind() == Reply.Kind.VALUE;
        });
    }

    private boolean ask(
            NodeClient client, Request request, List<Answered> answered, Function<Reply, Boolean> isAnswered) {
        long invoked = System.nanoTime();
        try {
            Reply reply = Reply.parse(client.ask(request.toString(), deadlineMillis, deadlineMillis + 3_000));
            if (isAnswered.apply(reply)) {
                synchronized (answered) {
                    answered.add(new Answered(invoked, System.nanoTime()));
                }
            }
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** When the first write was acknowledged that began after {@code nanos}. */
    OptionalLong firstWriteAfter(long nanos) {
        return firstAfter(writes, nanos);
    }

    OptionalLong firstReadAfter(long nanos) {
        return firstAfter(reads, nanos);
    }

    private static OptionalLong firstAfter(List<Answered> answered, long nanos) {
        synchronized (answered) {
            return answered.stream()
                    .filter(each -> each.invokedNanos() - nanos >= 0)
                    .mapToLong(Answered::returnedNanos)
                    .min();
        }
    }

    /** The longest time from one acknowledged write to the next, of what lies between two times. */
    long longestWriteGap(long fromNanos, long toNanos) {
        return longestGap(writes, fromNanos, toNanos);
    }

    long longestReadGap(long fromNanos, long toNanos) {
        return longestGap(reads, fromNanos, toNanos);
    }

    private static long longestGap(List<Answered> answered, long fromNanos, long toNanos) {
        List<Long> times;
        synchronized (answered) {
            times = new ArrayList<>(answered.stream()
                    .filter(each -> each.invokedNanos() - fromNanos >= 0)
                    .map(Answered::returnedNanos)
                    .filter(time -> time - toNanos <= 0)
                    .toList());
        }
        times.add(toNanos);
        long longest = 0;
        long last = fromNanos;
        for (long time : times) {
            longest = Math.max(longest, time - last);
            last = time;
        }
        return longest;
    }

    /** What the reader was shown that it must not be shown, the last of it. */
    Optional<String> violation() {
        return violation;
    }

    /** Writes and reads that were answered. */
    long answered() {
        synchronized (writes) {
            synchronized (reads) {
                return (long) writes.size() + reads.size();
            }
        }
    }

    /** Nothing is asked any more; does not wait for what is under way. */
    void end() {
        isOver = true;
    }

    @Override
    public void close() {
        end();
        try {
            for (Thread thread : threads) {
                thread.join(deadlineMillis + 10_000L);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
