package io.godwit.it.kv.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.godwit.it.kv.history.Request;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeClient;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Writes many registers through the node's client, as {@link FillText} has them, with many writes on their way at a
 * time.
 */
final class Filling {
    private static final int ON_THEIR_WAY = 512;
    private static final int ATTEMPTS = 20;

    private final RangeClient client;
    private final long from;
    private final long count;
    private final int bytes;
    private final Semaphore room = new Semaphore(ON_THEIR_WAY);
    /** Set by whichever thread completes a write that failed for good. */
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    /** @param words fill FROM COUNT BYTES */
    Filling(RangeClient client, String[] words) {
        this.client = client;
        this.from = Long.parseLong(words[1]);
        this.count = Long.parseLong(words[2]);
        this.bytes = Integer.parseInt(words[3]);
    }

    /** Returns when all are acknowledged, or the time is over. */
    String run(long millis) {
        long begun = System.nanoTime();
        long giveUp = begun + TimeUnit.MILLISECONDS.toNanos(millis);
        try {
            for (long number = from; number < from + count && failure.get() == null; number++) {
                if (!room.tryAcquire(giveUp - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                    return "not FAILED at " + number + " when the time was over";
                }
                String key = FillText.key(number);
                byte[] request = Request.write(key, FillText.value(number, bytes))
                        .toString()
                        .getBytes(UTF_8);
                write(key.getBytes(UTF_8), request, ATTEMPTS);
            }
            if (!room.tryAcquire(ON_THEIR_WAY, giveUp - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                return "not FAILED in the last writes when the time was over";
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "not FAILED interrupted";
        }
        Throwable cause = failure.get();
        return cause == null
                ? "done " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun)
                : "not FAILED " + cause;
    }

    /** The same value again, should the first have been written all the same. */
    private void write(byte[] key, byte[] request, int attempts) {
        client.mutate(key, request, Deadline.afterMillis(10_000)).whenComplete((reply, thrown) -> {
            if (thrown != null && attempts > 1) {
                write(key, request, attempts - 1);
                return;
            }
            if (thrown != null) {
                failure.set(thrown);
            }
            room.release();
        });
    }
}
