package io.godwit.mqtt.client;

import io.godwit.mqtt.transport.loop.LoopContext;
import io.godwit.mqtt.transport.loop.LoopTask;
import io.godwit.plugin.client.ClientInfo;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Applies an action, such as ending the connection, to selected clients of one event loop. Looks at a bounded number of
 * clients for a bounded time, then lets the loop serve its channels, like {@link LoopPage}. Confined to the loop.
 */
final class LoopSweep extends LoopTask {
    static final int MOST_LOOKS = 256;
    /** Most actions in one slice: ending a connection takes some ten microseconds. */
    static final int MOST_ENDS = 32;

    private static final long TURN_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    private final LoopContext loop;
    private final ClientIndex index;
    private final Predicate<ClientInfo> isMeant;
    private final Consumer<ListedClient> action;
    private final LongSupplier nanoTime;
    private final CompletableFuture<Integer> done = new CompletableFuture<>();
    private int handled;
    /** The last client seen; null for none. */
    private @Nullable ClientKey position;

    LoopSweep(
            LoopContext loop,
            ClientIndex index,
            Predicate<ClientInfo> isMeant,
            Consumer<ListedClient> action,
            LongSupplier nanoTime) {
        this.loop = loop;
        this.index = index;
        this.isMeant = isMeant;
        this.action = action;
        this.nanoTime = nanoTime;
    }

    /** Number of selected clients. Completes on the loop; never when the loop has stopped. */
    CompletableFuture<Integer> done() {
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
        Iterator<ListedClient> rest = index.after(position).iterator();
        List<ListedClient> meant = new ArrayList<>();
        ListedClient last = null;
        int looks = 0;
        while (rest.hasNext()
                && looks < MOST_LOOKS
                && meant.size() < MOST_ENDS
                && nanoTime.getAsLong() - begun <= TURN_NANOS) {
            last = rest.next();
            looks++;
            if (isMeant.test(last.client())) {
                meant.add(last);
            }
        }
        boolean isAtEnd = !rest.hasNext();
        if (last != null) {
            position = ClientKey.of(last.client());
        }
        handled += meant.size();
        meant.forEach(action); // only after the loop: a client that is ended leaves the index
        if (isAtEnd) {
            done.complete(handled);
        } else {
            loop.afterChannels(this::run);
        }
    }
}
