package io.godwit.mqtt.client;

import io.godwit.mqtt.transport.loop.LoopContext;
import io.godwit.mqtt.transport.loop.LoopTask;
import io.godwit.plugin.client.TenantId;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's part of a page. In each slice it looks at a bounded number of clients for a bounded time, then lets
 * the loop serve its channels. It remembers its position by key, since clients come and go between slices. Confined to
 * the loop.
 */
final class LoopPage extends LoopTask {
    /** Most clients in one slice; looking at one takes up to a microsecond. */
    static final int MOST_LOOKS = 256;

    /** Time of one slice; exceeded by one client at most, which takes about as long for the longest client id. */
    private static final long TURN_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    private final LoopContext loop;
    private final ClientIndex index;
    private final ClientQuery query;
    private final LongSupplier nanoTime;
    private final CompletableFuture<ClientPage<ConnectedClient>> done = new CompletableFuture<>();
    private final List<ConnectedClient> found = new ArrayList<>();
    /** The last client seen, or the key that the page starts after; null for none. */
    private @Nullable ClientKey position;

    LoopPage(LoopContext loop, ClientIndex index, ClientQuery query, LongSupplier nanoTime) {
        this.loop = loop;
        this.index = index;
        this.query = query;
        this.nanoTime = nanoTime;
        this.position = query.after();
    }

    /** Completes on the loop; never when the loop has stopped. */
    CompletableFuture<ClientPage<ConnectedClient>> done() {
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
        int looks = 0;
        ListedClient last = null;
        long now = begun;
        boolean isAtEnd = !rest.hasNext();
        while (!isAtEnd && found.size() < query.limit() && looks < MOST_LOOKS && now - begun <= TURN_NANOS) {
            ListedClient next = rest.next();
            if (isBehind(next)) {
                isAtEnd = true;
                break;
            }
            last = next;
            look(last);
            looks++;
            isAtEnd = !rest.hasNext();
            now = nanoTime.getAsLong(); // costs a small part of a look at a client
        }
        if (last != null) {
            position = ClientKey.of(last.client());
        }
        if (isAtEnd) {
            done.complete(new ClientPage<>(found, null));
        } else if (found.size() == query.limit() || now - query.untilNanos() >= 0) {
            done.complete(new ClientPage<>(found, position));
        } else {
            loop.afterChannels(this::run);
        }
    }

    /** Whether this client and all after it belong to later tenants than the requested one. */
    private boolean isBehind(ListedClient client) {
        TenantId wanted = query.criteria().tenant();
        return wanted != null && client.client().tenant().compareTo(wanted) > 0;
    }

    private void look(ListedClient client) {
        if (query.criteria().matches(client.client())) {
            ConnectedClient described = client.describe();
            if (query.criteria().matches(described)) {
                found.add(described);
            }
        }
    }
}
