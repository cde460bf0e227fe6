package io.godwit.mqtt.client;

import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.ReasonCode;
import io.godwit.mqtt.transport.LoopContext;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * The clients that are connected to this node. Each event loop is asked for its part, which it gives in slices that
 * hold up none of its clients. Any thread; calls return at once. Futures complete on an event loop or the executor
 * given, soon; but never when the server is closed meanwhile, so whoever waits sets a time-out.
 *
 * <p>A client that comes or goes during a listing may be in it or not; all others are in it once.
 */
public final class ConnectedClients {
    private final List<LoopContext> loops;
    private final ClientIndexes indexes;
    private final LongSupplier nanoTime;

    /** @param loops all of the node, in order */
    public ConnectedClients(List<LoopContext> loops, ClientIndexes indexes) {
        this(loops, indexes, System::nanoTime);
    }

    /** @param nanoTime the clock of {@link ClientQuery#untilNanos} */
    ConnectedClients(List<LoopContext> loops, ClientIndexes indexes, LongSupplier nanoTime) {
        this.loops = List.copyOf(loops);
        this.indexes = indexes;
        this.nanoTime = nanoTime;
    }

    /**
     * A page of the list.
     *
     * @param merging where the parts are put together, away from event loops
     */
    public CompletableFuture<ClientPage<ConnectedClient>> page(ClientQuery query, Executor merging) {
        return ofAllLoops(loop -> {
                    LoopPage page = new LoopPage(loop, indexes.of(loop), query, nanoTime);
                    loop.post(page);
                    return page.done();
                })
                .thenApplyAsync(pages -> ClientPage.merged(pages, query.limit()), merging);
    }

    /** One client; empty when it is not connected here. */
    public CompletableFuture<Optional<ConnectedClient>> find(ClientKey key) {
        return ofAllLoops(loop -> on(loop, () -> {
                    ListedClient client = indexes.of(loop).find(key);
                    return Optional.ofNullable(client).map(ListedClient::describe);
                }))
                .thenApply(found -> found.stream()
                        .flatMap(Optional::stream)
                        .max(Comparator.comparingLong(ConnectedClient::connectedAtMillis)));
    }

    /** Of one client; empty when it is not connected here, or its session is stored. */
    public CompletableFuture<Optional<LiveSubscriptions>> subscriptions(ClientKey key) {
        return ofAllLoops(loop -> on(loop, () -> {
                    ListedClient client = indexes.of(loop).find(key);
                    return Optional.ofNullable(client).map(ListedClient::subscriptions);
                }))
                .thenApply(found -> found.stream().flatMap(Optional::stream).findFirst());
    }

    /**
     * Ends the client's connection, if it has one here: an MQTT 5.0 client is told {@code code}. Its session lasts as
     * agreed, and its will is published.
     *
     * @param code one that a server may send: {@link Disconnect#isFromServer}
     * @return whether there was a connection, which is closed now or about to be
     */
    public CompletableFuture<Boolean> disconnect(ClientKey key, ReasonCode code) {
        if (!Disconnect.isFromServer(code)) {
            return CompletableFuture.failedFuture(
                    new IllegalArgumentException("a server does not send DISCONNECT with " + code));
        }
        return ofAllLoops(loop -> on(loop, () -> {
                    ListedClient client = indexes.of(loop).find(key);
                    if (client != null) {
                        client.end(code);
                    }
                    return client != null;
                }))
                .thenApply(found -> found.contains(true));
    }

    private interface Look<T> {
        T look();
    }

    private static <T> CompletableFuture<T> on(LoopContext loop, Look<T> look) {
        CompletableFuture<T> done = new CompletableFuture<>();
        loop.execute(() -> {
            try {
                done.complete(look.look());
            } catch (RuntimeException | Error e) { // whoever asked is told, and the loop goes on
                done.completeExceptionally(e);
            }
        });
        return done;
    }

    private <T> CompletableFuture<List<T>> ofAllLoops(Function<LoopContext, CompletableFuture<T>> asking) {
        List<CompletableFuture<T>> parts = loops.stream().map(asking).toList();
        return CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new))
                .thenApply(all -> parts.stream().map(CompletableFuture::join).toList());
    }
}
