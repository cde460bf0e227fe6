package io.godwit.kv.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.peers.LocalRanges;
import io.godwit.kv.range.leader.RouteToken;
import io.godwit.kv.remote.RangeCall;
import io.godwit.kv.remote.SimCaller;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests without waiting for answers: by routes, over a connection to each node, or to the ranges on one node,
 * whoever leads them. A connection keeps the order of requests; answers come in any order.
 */
final class SimUser implements SimCaller.Network {
    private final RangeSimulation world;
    private final String name;
    private final @Nullable String node;
    private final boolean submits;
    private final SimCaller caller;
    private final Map<String, Deque<Sent>> wires = new TreeMap<>();
    private final List<Sent> open = new ArrayList<>();
    /** Calls made on a node itself: if the node dies, their outcome is unknown. */
    private final List<CompletableFuture<byte[]>> local = new ArrayList<>();

    private static final class Sent {
        final String node;
        final RouteToken token;
        final RangeCall call;
        final BiConsumer<byte @Nullable [], @Nullable Throwable> answer;

        Sent(String node, RouteToken token, RangeCall call, BiConsumer<byte @Nullable [], @Nullable Throwable> answer) {
            this.node = node;
            this.token = token;
            this.call = call;
            this.answer = answer;
        }
    }

    /**
     * @param node the node whose ranges it asks, and no others; null if it uses routes
     * @param submits whether it asks the leaders and not the ranges
     */
    SimUser(RangeSimulation world, String name, @Nullable String node, boolean submits, List<String> nodes) {
        this.world = world;
        this.name = name;
        this.node = node;
        this.submits = submits;
        this.caller = new SimCaller(this, world::nanoTime, 1 << 20);
        nodes.forEach(each -> wires.put(each, new ArrayDeque<>()));
    }

    String name() {
        return name;
    }

    /** The node whose ranges it asks; null if it uses routes. */
    @Nullable
    String node() {
        return node;
    }

    SimCaller caller() {
        return caller;
    }

    // --- its requests

    CompletableFuture<byte[]> mutate(byte[] key, byte[] mutation, long deadlineNanos) {
        if (node == null) {
            return caller.mutate(key, mutation, deadlineNanos);
        }
        SimNode at = world.node(node);
        if (!at.isUp()) {
            return down();
        } else if (submits) {
            SimLeader.Append append = new SimLeader.Append(key, mutation);
            at.ranges().client().submit(key, append);
            return here(append.answer());
        }
        return here(at.ranges().client().mutate(key, mutation, new Deadline(deadlineNanos)));
    }

    CompletableFuture<byte[]> query(byte[] key, long deadlineNanos) {
        if (node == null) {
            return caller.query(key, key, deadlineNanos);
        }
        SimNode at = world.node(node);
        return at.isUp() ? here(at.ranges().client().query(key, key, new Deadline(deadlineNanos))) : down();
    }

    /** Whether the node that it asks leads the range of a key; true if it uses routes. */
    boolean mayAsk(String key) {
        return node == null
                || world.node(node).isUp()
                        && world.node(node).ranges().all().stream()
                                .anyMatch(range -> range.leading() != null
                                        && range.routed().bounds().contains(key.getBytes(UTF_8)));
    }

    private CompletableFuture<byte[]> here(CompletableFuture<byte[]> answer) {
        local.removeIf(CompletableFuture::isDone);
        local.add(answer);
        return answer;
    }

    private static CompletableFuture<byte[]> down() {
        return CompletableFuture.failedFuture(new RangeException(Cause.CLOSED, "the node is down"));
    }

    // --- its connections

    @Override
    public boolean send(
            String storeId,
            RouteToken token,
            RangeCall call,
            BiConsumer<byte @Nullable [], @Nullable Throwable> answer) {
        if (!world.node(storeId).isUp()) {
            return false;
        }
        Sent sent = new Sent(storeId, token, call, answer);
        wire(storeId).add(sent);
        open.add(sent);
        return true;
    }

    private Deque<Sent> wire(String storeId) {
        return wires.computeIfAbsent(storeId, each -> new ArrayDeque<>());
    }

    @Override
    public void refreshRoutes() {
        wires.keySet().forEach(each -> {
            if (world.random().nextBoolean()) {
                world.tellRoutes(each, this);
            }
        });
    }

    @Override
    public void later(long millis, Runnable task) {
        world.at(millis + world.random().nextInt((int) millis / 2 + 1), task);
    }

    /** Adds the requests that may arrive at a node next. */
    void possible(List<Runnable> steps) {
        wires.forEach((to, wire) -> {
            if (!wire.isEmpty()) {
                steps.add(() -> deliver(to));
            }
        });
    }

    private void deliver(String storeId) {
        Sent sent = wire(storeId).remove();
        SimNode to = world.node(storeId);
        new LocalRanges(store -> to.isUp() ? to.ranges() : null)
                .handle(SimNode.STORE, sent.token, sent.call)
                .whenComplete((value, failure) -> world.answers().add(() -> tell(sent, value, failure)));
    }

    private void tell(Sent sent, byte @Nullable [] value, @Nullable Throwable failure) {
        if (open.remove(sent)) { // otherwise the connection has broken
            sent.answer.accept(value, failure);
        }
    }

    void breakConnection(String storeId) {
        wire(storeId).clear();
        List<Sent> lost =
                open.stream().filter(sent -> sent.node.equals(storeId)).toList();
        open.removeAll(lost);
        lost.forEach(sent -> sent.answer.accept(null, SimCaller.brokenConnection()));
    }

    /** A node has died. */
    void died(String storeId) {
        if (storeId.equals(node)) {
            List<CompletableFuture<byte[]>> lost = List.copyOf(local);
            local.clear();
            lost.forEach(answer -> answer.completeExceptionally(SimCaller.brokenConnection()));
        }
        breakConnection(storeId);
        caller.table().gone(storeId);
    }
}
