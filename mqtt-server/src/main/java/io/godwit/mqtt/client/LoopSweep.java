package io.godwit.mqtt.client;

import io.godwit.mqtt.packet.ReasonCode;
import io.godwit.mqtt.transport.LoopContext;
import io.godwit.mqtt.transport.LoopTask;
import io.godwit.plugin.client.ClientInfo;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Ends the connections of one event loop that are meant. Looks at so many clients, or for so long, and goes on once the
 * loop has served its channels, as {@link LoopPage} does. Confined to the loop.
 */
final class LoopSweep extends LoopTask {
    static final int MOST_LOOKS = 256;
    /** Of one turn: to end one takes some ten microseconds. */
    static final int MOST_ENDS = 32;

    private static final long TURN_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    private final LoopContext loop;
    private final ClientIndex index;
    private final Predicate<ClientInfo> isMeant;
    private final ReasonCode code;
    private final LongSupplier nanoTime;
    private final CompletableFuture<Integer> done = new CompletableFuture<>();
    private int ended;
    /** The last that was looked at; null for none. */
    private @Nullable ClientKey position;

    LoopSweep(
            LoopContext loop,
            ClientIndex index,
            Predicate<ClientInfo> isMeant,
            ReasonCode code,
            LongSupplier nanoTime) {
        this.loop = loop;
        this.index = index;
        this.isMeant = isMeant;
        this.code = code;
        this.nanoTime = nanoTime;
    }

    /** How many were ended. Completes on the loop; never when the loop has stopped. */
    CompletableFuture<Integer> done() {
        return done;
    }

    @Override
    protected void run() {
        try {
            takeTurn();
        } catch (RuntimeException | Error e) { // whoever asked is told, and the loop goes on
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
        ended += meant.size();
        meant.forEach(each -> each.end(code)); // not before: it leaves the index
        if (isAtEnd) {
            done.complete(ended);
        } else {
            loop.afterChannels(this::run);
        }
    }
}
