package io.godwit.mqtt.client;

import io.godwit.mqtt.transport.loop.LoopContext;
import io.godwit.mqtt.transport.loop.LoopTask;
import io.godwit.plugin.client.TenantId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's slowest clients. Looks at all clients in slices, like {@link LoopPage}, and keeps no more than
 * requested. Confined to the loop.
 */
final class LoopSlowest extends LoopTask {
    private static final long TURN_NANOS = TimeUnit.MICROSECONDS.toNanos(500);
    static final Comparator<SlowClient> BY_SLOWNESS = Comparator.comparingLong(
                    (SlowClient client) -> client.pace().slowness())
            .thenComparingLong(client -> client.pace().worstMillis());

    private final LoopContext loop;
    private final ClientIndex index;
    private final @Nullable TenantId tenant;
    private final int limit;
    private final long untilNanos;
    private final LongSupplier nanoTime;
    private final CompletableFuture<List<SlowClient>> done = new CompletableFuture<>();
    private final PriorityQueue<SlowClient> slowest = new PriorityQueue<>(BY_SLOWNESS);
    private @Nullable ClientKey position;

    LoopSlowest(
            LoopContext loop,
            ClientIndex index,
            @Nullable TenantId tenant,
            int limit,
            long untilNanos,
            LongSupplier nanoTime) {
        this.loop = loop;
        this.index = index;
        this.tenant = tenant;
        this.limit = limit;
        this.untilNanos = untilNanos;
        this.nanoTime = nanoTime;
    }

    /** Completes on the loop; never when the loop has stopped. */
    CompletableFuture<List<SlowClient>> done() {
        return done;
    }

    @Override
    protected void run() {
        try {
            takeTurn();
        } catch (RuntimeException | Error e) { // the caller gets the failure, and the loop goes on
            done.completeExceptionally(e);
        }
    }

    private void takeTurn() {
        long begun = nanoTime.getAsLong();
        long now = begun;
        Iterator<ListedClient> rest = index.after(position).iterator();
        ListedClient last = null;
        for (int looks = 0; rest.hasNext() && looks < LoopPage.MOST_LOOKS && now - begun <= TURN_NANOS; looks++) {
            last = rest.next();
            look(last);
            now = nanoTime.getAsLong();
        }
        if (last != null) {
            position = ClientKey.of(last.client());
        }
        if (!rest.hasNext() || now - untilNanos >= 0) {
            done.complete(new ArrayList<>(slowest));
        } else {
            loop.afterChannels(this::run);
        }
    }

    private void look(ListedClient client) {
        AckPace pace = tenant == null || tenant.equals(client.client().tenant()) ? client.ackPace() : null;
        if (pace != null && pace.slowness() > 0) {
            slowest.add(new SlowClient(ClientKey.of(client.client()), pace));
            if (slowest.size() > limit) {
                slowest.poll();
            }
        }
    }
}
