package io.godwit.kv.remote;

import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.range.leader.RouteToken;
import io.godwit.plugin.balance.Key;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends the requests of one node for one store to the leaders of their ranges, and sends them again to another leader
 * if they were refused because the range has moved or was split or merged.
 *
 * <p>Mutations of one key are applied in the order of the calls. They are sent in this order under one token, in a
 * {@link CallLane}. When the token of a range changes or is refused, its lane drains: mutations for any key of its
 * bounds wait ({@code pending}) until each mutation of the lane is answered. Refused ones, which were not applied and
 * are the last of the lane, join the waiting ones, before later calls. Then all of them are sent under the new token. A
 * call without an answer (the connection broke) fails with {@code LOST}, because it may be applied; it is not sent
 * twice. But for a repeatable call the lane drains instead, and the call is sent again in its place, before later calls
 * for its key. If a later one was applied meanwhile, it is not sent again, because it must not be applied after that
 * one.
 *
 * <p>Waiting ends when the routes change, or after a pause in which the routes are asked for; at the deadline of a
 * call; and for a lane one second after another token became known. Nothing is applied under an old token after
 * something was applied under the new one, so the order holds without the missing answers, which the former leader may
 * never send. A query is asked again as soon as another token is known.
 *
 * <p>Nothing is sent after its deadline, whether it waited for a leader, was refused, or waited for the executor. The
 * caller has been told {@code TIMEOUT} by then, and may have done something else instead. A call that its caller has
 * given up is not sent either.
 *
 * <p>Confined to the executor it is given.
 */
final class RangeCalls {
    static final long TICK_MILLIS = 20;
    static final long DRAIN_MILLIS = 1_000;
    private static final long SWEEP_MILLIS = 100;
    private static final int MAX_REFRESH_TICKS = 25;
    private static final CallReply PASSED = CallReply.failed(
            new RangeException(Cause.LOST, "a later mutation of its key is applied; this one may be applied or not"));
    private static final CallReply GIVEN_UP =
            CallReply.failed(new RangeException(Cause.LOST, "it was given up; it may be applied or not"));

    /** The executor and timer of the calls. */
    interface Timer extends Executor {
        /** Runs {@code task} on the executor about {@code millis} from now, with jitter that differs between nodes. */
        void later(long millis, Runnable task);
    }

    private final CallPeers peers;
    private final Timer timer;
    private final LongSupplier nanoClock;
    private final long maxPendingBytes;
    private RangeRoutes routes = RangeRoutes.NONE;
    private final Map<Long, CallLane> lanes = new HashMap<>();
    private final List<CallLane> draining = new ArrayList<>();
    /** The last refused token of each range, which must not be used again. */
    private final Map<Long, RouteToken> refused = new HashMap<>();
    /** Mutations that cannot be sent now, by number. */
    private final TreeMap<Long, RangeCall> pending = new TreeMap<>();

    private final Map<Key, Integer> pendingKeys = new HashMap<>();
    /** Queries that cannot be sent now or were refused. */
    private List<RangeCall> queries = new ArrayList<>();

    /** Each sent query with its last token; refusals under earlier tokens are ignored. */
    private final Map<RangeCall, RouteToken> queriesSent = new LinkedHashMap<>();

    private long pendingBytes;
    private boolean ticking;
    private boolean hurrying;
    /** Number of the last scheduled tick; earlier ones have been replaced. */
    private long tickNumber;

    private long sweptNanos;
    private int ticksToRefresh;
    private int refreshPause = 1;
    private @Nullable RangeException closed;

    /**
     * Sends calls through {@code peers}.
     *
     * @param maxPendingBytes limit for all unanswered requests; above it, new ones fail with {@code OVERLOADED}
     */
    RangeCalls(CallPeers peers, Timer timer, LongSupplier nanoClock, long maxPendingBytes) {
        this.peers = peers;
        this.timer = timer;
        this.nanoClock = nanoClock;
        this.maxPendingBytes = maxPendingBytes;
    }

    // --- arriving calls, on the executor

    void call(RangeCall call) {
        RangeException ended = closed;
        if (ended != null) {
            call.complete(CallReply.failed(ended));
        } else if (call.deadline().hasPassed(nanoClock.getAsLong())) { // the executor was delayed
            call.complete(CallReply.failed(new RangeException(Cause.TIMEOUT, "deadline passed before it was sent")));
        } else if (!call.isWanted()) {
            call.complete(GIVEN_UP);
        } else if (pendingBytes > 0 && pendingBytes + call.bytes() > maxPendingBytes) {
            call.complete(CallReply.failed(new RangeException(
                    Cause.OVERLOADED, "more than " + maxPendingBytes + " bytes wait for other nodes")));
        } else {
            pendingBytes += call.bytes();
            if (call.isQuery()) {
                if (!ask(call)) {
                    await(call);
                }
            } else if ((!pendingKeys.isEmpty() && pendingKeys.containsKey(call.keyValue())) || !send(call)) {
                await(call);
            }
        }
    }

    void routesChanged(RangeRoutes changed) {
        routes = changed;
        for (CallLane lane : List.copyOf(lanes.values())) {
            RangeRoutes.Route now = changed.ofRange(lane.token().rangeId());
            if (now == null || !now.token().equals(Optional.of(lane.token()))) {
                drain(lane);
            }
        }
        askAgain();
        refused.keySet().removeIf(rangeId -> changed.ofRange(rangeId) == null);
        pump();
    }

    /**
     * Asks queries again whose leader was replaced: the former one may be suspended and never answer. Reading twice is
     * harmless.
     */
    private void askAgain() {
        Iterator<Map.Entry<RangeCall, RouteToken>> each = queriesSent.entrySet().iterator();
        while (each.hasNext()) {
            Map.Entry<RangeCall, RouteToken> sent = each.next();
            RangeRoutes.Route now = routes.of(sent.getKey().key());
            if (now != null
                    && now.token()
                            .filter(token -> !token.equals(sent.getValue()))
                            .isPresent()) {
                each.remove();
                queries.add(sent.getKey());
            }
        }
    }

    void close(RangeException cause) {
        closed = cause;
        List<CallLane> all = new ArrayList<>(lanes.values());
        all.addAll(draining);
        lanes.clear();
        draining.clear();
        RangeException unknown = new RangeException(Cause.TIMEOUT, "closed before it was answered");
        all.forEach(lane -> lane.giveUp().forEach(call -> finish(call, CallReply.failed(unknown))));
        List<RangeCall> waiting = new ArrayList<>(pending.values());
        waiting.addAll(queries);
        waiting.addAll(queriesSent.keySet());
        queriesSent.clear();
        pending.clear();
        pendingKeys.clear();
        queries = new ArrayList<>();
        waiting.forEach(call -> finish(call, CallReply.failed(cause)));
    }

    private void finish(RangeCall call, CallReply reply) {
        pendingBytes -= call.bytes();
        call.complete(reply);
    }

    // --- mutations

    /** Sends the call unless something holds it back. */
    private boolean send(RangeCall call) {
        for (CallLane lane : draining) {
            if (lane.mayHold(call.key())) {
                return false;
            }
        }
        RangeRoutes.Route route = routes.of(call.key());
        if (route == null || route.token().isEmpty()) {
            return false;
        }
        RouteToken token = route.token().get();
        if (token.equals(refused.get(token.rangeId()))) {
            return false;
        }
        CallLane lane = lanes.get(token.rangeId());
        if (lane == null || !lane.token().equals(token)) { // a lane with another token was drained
            lane = new CallLane(route, token);
            lanes.put(token.rangeId(), lane);
        }
        CallLane own = lane;
        own.sent(call);
        boolean isSent =
                peers.send(own.storeId(), token, call, reply -> timer.execute(() -> answered(own, call, reply)));
        if (isSent) {
            tick();
        } else {
            own.answered(call, false);
        }
        return isSent;
    }

    private void answered(CallLane lane, RangeCall call, CallReply reply) {
        boolean isApplied = reply.failure() == null;
        if (!lane.answered(call, isApplied)) {
            return; // given up
        }
        if (isApplied) {
            failPassed(call);
        }
        RangeException ended = closed;
        boolean isRepeated = false;
        if (reply.isMoved() && ended != null) {
            finish(call, CallReply.failed(ended));
        } else if (reply.isMoved()) {
            refused.put(lane.token().rangeId(), lane.token());
            drain(lane);
            await(call);
        } else if (mayRepeat(lane, call, reply)) {
            isRepeated = true;
            drain(lane);
            await(call);
        } else {
            finish(call, isUnknown(reply) && lane.isPassed(call) ? PASSED : reply);
        }
        if (lane.isEmpty() && draining.remove(lane) && !isRepeated) {
            pump(); // a repeated call waits for the next tick, because a new connection may break again at once
        }
    }

    /** Whether the outcome is unknown and the call may be sent again in its place. */
    private boolean mayRepeat(CallLane lane, RangeCall call, CallReply reply) {
        return isUnknown(reply)
                && call.isRepeatable()
                && !call.isDone()
                && call.isWanted()
                && closed == null
                && !lane.isPassed(call)
                && call.deadline().remainingNanos(nanoClock.getAsLong()) > TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS);
    }

    private static boolean isUnknown(CallReply reply) {
        RangeException failure = reply.failure();
        return failure != null && (failure.reason() == Cause.LOST || failure.reason() == Cause.TIMEOUT);
    }

    /** Fails earlier calls of the key that wait to be repeated, because they would be applied after this one. */
    private void failPassed(RangeCall applied) {
        if (!pendingKeys.containsKey(applied.keyValue())) {
            return;
        }
        List.copyOf(pending.headMap(applied.number()).values()).stream()
                .filter(call -> call.isRepeatable() && call.keyValue().equals(applied.keyValue()))
                .forEach(call -> {
                    pending.remove(call.number());
                    noteNoLongerPending(call.keyValue());
                    finish(call, PASSED);
                });
    }

    private void noteNoLongerPending(Key key) {
        pendingKeys.computeIfPresent(key, (same, count) -> count == 1 ? null : count - 1);
    }

    private void drain(CallLane lane) {
        if (lanes.remove(lane.token().rangeId(), lane) && !lane.isEmpty()) {
            lane.drainFrom(nanoClock.getAsLong());
            draining.add(lane);
            tick();
        }
    }

    private void await(RangeCall call) {
        if (call.isQuery()) {
            queries.add(call);
        } else if (pending.put(call.number(), call) == null) {
            pendingKeys.merge(call.keyValue(), 1, Integer::sum);
        }
        tick();
    }

    /** Sends waiting calls: for each key the first, unless it must wait, and so on. */
    private void pump() {
        expireWaiting(nanoClock.getAsLong());
        Set<Key> kept = new HashSet<>();
        Iterator<RangeCall> each = pending.values().iterator();
        while (each.hasNext()) {
            RangeCall call = each.next();
            Key key = call.keyValue();
            if (kept.contains(key)) {
                continue;
            }
            if (!call.isWanted()) {
                each.remove();
                noteNoLongerPending(key);
                finish(call, GIVEN_UP);
            } else if (send(call)) {
                each.remove();
                noteNoLongerPending(key);
            } else {
                kept.add(key);
            }
        }
        List<RangeCall> asking = queries;
        queries = new ArrayList<>();
        asking.stream().filter(query -> !ask(query)).forEach(queries::add);
    }

    // --- queries

    private boolean ask(RangeCall query) {
        RangeRoutes.Route route = routes.of(query.key());
        if (route == null || route.token().isEmpty()) {
            return false;
        }
        RouteToken token = route.token().get();
        if (token.equals(refused.get(token.rangeId()))) {
            return false;
        }
        if (!query.isWithin(route.bounds())) {
            finish(
                    query,
                    CallReply.failed(new RangeException(Cause.MOVED, "the range does not reach that far any more")));
            return true;
        }
        queriesSent.put(query, token);
        boolean isSent =
                peers.send(route.leader(), token, query, reply -> timer.execute(() -> asked(query, token, reply)));
        if (isSent) {
            tick();
        } else {
            queriesSent.remove(query);
        }
        return isSent;
    }

    private void asked(RangeCall query, RouteToken token, CallReply reply) {
        if (reply.failure() == null) {
            // an earlier leader's answer is valid too: it has confirmed that it led when it answered
            if (queriesSent.remove(query) != null || queries.remove(query)) {
                finish(query, reply);
            }
            return;
        }
        if (!queriesSent.remove(query, token)) {
            return; // closed, answered, or asked of a later leader
        }
        if (closed == null && reply.isMoved()) {
            refused.put(token.rangeId(), token);
            await(query);
        } else if (closed == null
                && (reply.failure().reason() == Cause.TIMEOUT || reply.failure().reason() == Cause.LOST)
                && !query.deadline().hasPassed(nanoClock.getAsLong())) {
            await(query); // reading twice is harmless
        } else {
            finish(query, reply);
        }
    }

    // --- time

    /**
     * Schedules a tick: soon while something waits, otherwise only often enough to meet the deadlines of sent calls.
     */
    private void tick() {
        boolean isHurried = !pending.isEmpty() || !queries.isEmpty() || !draining.isEmpty();
        if (!ticking || isHurried && !hurrying) {
            ticking = true;
            hurrying = isHurried;
            long current = ++tickNumber;
            timer.later(isHurried ? TICK_MILLIS : SWEEP_MILLIS, () -> {
                if (current == tickNumber) {
                    ticked();
                }
            });
        }
    }

    private void ticked() {
        ticking = false;
        long now = nanoClock.getAsLong();
        if (now - sweptNanos >= TimeUnit.MILLISECONDS.toNanos(SWEEP_MILLIS)) {
            sweptNanos = now;
            expireSent(now);
        }
        for (CallLane lane : List.copyOf(draining)) {
            if (now - lane.drainsSince() >= TimeUnit.MILLISECONDS.toNanos(DRAIN_MILLIS) && isOver(lane)) {
                draining.remove(lane);
                CallReply unknown = CallReply.failed(
                        new RangeException(Cause.LOST, "the leader did not answer; the mutation may be applied"));
                for (RangeCall call : lane.giveUp()) {
                    if (mayRepeat(lane, call, unknown)) {
                        await(call);
                    } else {
                        finish(call, unknown);
                    }
                }
            }
        }
        pump();
        if (pending.isEmpty() && queries.isEmpty()) {
            refreshPause = 1;
            ticksToRefresh = 0;
        } else if (--ticksToRefresh <= 0) {
            peers.refreshRoutes();
            ticksToRefresh = refreshPause;
            refreshPause = Math.min(MAX_REFRESH_TICKS, 2 * refreshPause);
        }
        lanes.values().removeIf(CallLane::isEmpty);
        if (!pending.isEmpty()
                || !queries.isEmpty()
                || !draining.isEmpty()
                || !lanes.isEmpty()
                || !queriesSent.isEmpty()) {
            tick();
        }
    }

    /** Whether the range, or its successor, has another leadership now. */
    private boolean isOver(CallLane lane) {
        RangeRoutes.Route now = routes.ofRange(lane.token().rangeId());
        return now == null
                || now.token().filter(token -> !token.equals(lane.token())).isPresent();
    }

    /**
     * Fails overdue calls towards their callers. Their lanes still wait for the answers, on which the order depends.
     */
    private void expireSent(long nowNanos) {
        CallReply late = CallReply.failed(new RangeException(Cause.TIMEOUT, "not answered by the deadline"));
        List<RangeCall> sent = new ArrayList<>(queriesSent.keySet());
        lanes.values().forEach(lane -> lane.addTo(sent));
        draining.forEach(lane -> lane.addTo(sent));
        sent.stream().filter(call -> call.deadline().hasPassed(nowNanos)).forEach(call -> call.complete(late));
    }

    private void expireWaiting(long nowNanos) {
        CallReply late = CallReply.failed(new RangeException(Cause.TIMEOUT, "no leader was reached by the deadline"));
        Iterator<RangeCall> each = pending.values().iterator();
        while (each.hasNext()) {
            RangeCall call = each.next();
            if (call.deadline().hasPassed(nowNanos)) {
                each.remove();
                noteNoLongerPending(call.keyValue());
                finish(call, late);
            }
        }
        List<RangeCall> overdue = queries.stream()
                .filter(query -> query.deadline().hasPassed(nowNanos))
                .toList();
        queries.removeAll(overdue);
        overdue.forEach(query -> finish(query, late));
    }
}
