package io.godwit.mqtt.client;

import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.transport.loop.LoopContext;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The clients connected to this node. Each event loop reports its own clients, in slices so short that its clients are
 * not delayed. Any thread; calls return at once. Futures complete soon, on an event loop or the given executor; but
 * never if the server is closed meanwhile, so callers need a timeout.
 *
 * <p>A client that comes or goes during a listing may be in it or not; all others are in it once.
 */
public final class ConnectedClients {
    private final List<LoopContext> loops;
    private final ClientIndexes indexes;
    private final LongSupplier nanoTime;

    /** @param loops all loops of the node, in order */
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
     * @param merging merges the parts, away from event loops
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

    /** The subscriptions of one client; empty when it is not connected here, or its session is stored. */
    public CompletableFuture<Optional<LiveSubscriptions>> subscriptions(ClientKey key) {
        return ofAllLoops(loop -> on(loop, () -> {
                    ListedClient client = indexes.of(loop).find(key);
                    return Optional.ofNullable(client).map(ListedClient::subscriptions);
                }))
                .thenApply(found -> found.stream().flatMap(Optional::stream).findFirst());
    }

    /**
     * Ends the client's connection, if it has one here; an MQTT 5.0 client gets {@code code}. Its session lasts as
     * agreed, and its will is published.
     *
     * @param code one that a server may send: {@link Disconnect#isFromServer}
     * @return whether there was a connection, which is closed now or about to be
     */
    public CompletableFuture<Boolean> disconnect(ClientKey key, ReasonCode code) {
        return disconnectIf(key, client -> true, code);
    }

    /**
     * The same, if {@code isMeant} accepts the client.
     *
     * @param isMeant called on an event loop
     */
    public CompletableFuture<Boolean> disconnectIf(ClientKey key, Predicate<ClientInfo> isMeant, ReasonCode code) {
        if (!Disconnect.isFromServer(code)) {
            return CompletableFuture.failedFuture(
                    new IllegalArgumentException("a server does not send DISCONNECT with " + code));
        }
        return ofAllLoops(loop -> on(loop, () -> {
                    ListedClient client = indexes.of(loop).find(key);
                    if (client == null || !isMeant.test(client.client())) {
                        return false;
                    }
                    client.end(code);
                    return true;
                }))
                .thenApply(found -> found.contains(true));
    }

    /**
     * Ends the connections of all clients that {@code isMeant} accepts, like {@link #disconnect}, in slices. Clients
     * that connect meanwhile may be missed.
     *
     * @param isMeant called on event loops; must take no longer than a lookup in a map
     * @return number of connections ended
     */
    public CompletableFuture<Integer> disconnectAll(Predicate<ClientInfo> isMeant, ReasonCode code) {
        if (!Disconnect.isFromServer(code)) {
            return CompletableFuture.failedFuture(
                    new IllegalArgumentException("a server does not send DISCONNECT with " + code));
        }
        return sweep(isMeant, client -> client.end(code));
    }

    /**
     * Applies the present tenant settings to all clients, in slices.
     *
     * @return number of clients
     */
    public CompletableFuture<Integer> retuneAll() {
        return sweep(client -> true, ListedClient::retune);
    }

    private CompletableFuture<Integer> sweep(Predicate<ClientInfo> isMeant, Consumer<ListedClient> action) {
        return ofAllLoops(loop -> {
                    LoopSweep sweep = new LoopSweep(loop, indexes.of(loop), isMeant, action, nanoTime);
                    loop.post(sweep);
                    return sweep.done();
                })
                .thenApply(counts -> counts.stream().mapToInt(Integer::intValue).sum());
    }

    /** A request to one client, on its loop. */
    public interface Asking<T> {
        CompletableFuture<T> ask(ListedClient client);
    }

    /**
     * Sends a request to the client's connection here; to the later one of two during a takeover.
     *
     * @param asking called on its event loop
     * @return empty when the client is not connected here; fails like the request
     */
    public <T> CompletableFuture<Optional<T>> ask(ClientKey key, Asking<T> asking) {
        return ofAllLoops(loop -> on(loop, () -> {
                    ListedClient client = indexes.of(loop).find(key);
                    return Optional.ofNullable(client)
                            .map(found -> new Found(loop, found.describe().connectedAtMillis()));
                }))
                .thenCompose(found -> found.stream()
                        .flatMap(Optional::stream)
                        .max(Comparator.comparingLong(Found::connectedAtMillis))
                        .map(latest -> ask(latest.loop, key, asking))
                        .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty())));
    }

    private record Found(LoopContext loop, long connectedAtMillis) {}

    private <T> CompletableFuture<Optional<T>> ask(LoopContext loop, ClientKey key, Asking<T> asking) {
        return on(loop, () -> Optional.ofNullable(indexes.of(loop).find(key)).map(asking::ask))
                .thenCompose(asked -> asked.isEmpty()
                        ? CompletableFuture.completedFuture(Optional.<T>empty())
                        : asked.get().thenApply(Optional::of));
    }

    /**
     * The clients that take longest to acknowledge, the slowest first.
     *
     * @param tenant null for all tenants
     * @param limit at least 1; each loop looks at all its clients and keeps no more than this
     * @param untilNanos deadline in the time of {@link System#nanoTime}; a loop then reports the clients seen so far
     * @param merging merges the parts, away from event loops
     */
    public CompletableFuture<List<SlowClient>> slowest(
            @Nullable TenantId tenant, int limit, long untilNanos, Executor merging) {
        return ofAllLoops(loop -> {
                    LoopSlowest slowest = new LoopSlowest(loop, indexes.of(loop), tenant, limit, untilNanos, nanoTime);
                    loop.post(slowest);
                    return slowest.done();
                })
                .thenApplyAsync(
                        parts -> parts.stream()
                                .flatMap(List::stream)
                                .sorted(LoopSlowest.BY_SLOWNESS.reversed())
                                .limit(limit)
                                .toList(),
                        merging);
    }

    private interface Look<T> {
        T look();
    }

    private static <T> CompletableFuture<T> on(LoopContext loop, Look<T> look) {
        CompletableFuture<T> done = new CompletableFuture<>();
        loop.execute(() -> {
            try {
                done.complete(look.look());
            } catch (RuntimeException | Error e) { // the caller gets the failure, and the loop goes on
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
