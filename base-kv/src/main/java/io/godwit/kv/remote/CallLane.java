package io.godwit.kv.remote;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.range.leader.RouteToken;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The mutations that were sent under one token and are not answered yet. Confined to the executor of its
 * {@link RangeCalls}.
 */
final class CallLane {
    private final RouteToken token;
    private final String storeId;
    private final RangeBounds bounds;
    private final Map<Long, RangeCall> unanswered = new LinkedHashMap<>();
    /** Numbers of unanswered calls for which a later call of the same key has been applied. */
    private final Set<Long> passed = new HashSet<>(0);
    /** When another token became known or this one was refused, in nanoseconds; valid only while the lane drains. */
    private long drainsSince;

    CallLane(RangeRoutes.Route route, RouteToken token) {
        this.token = token;
        this.storeId = route.leader();
        this.bounds = route.bounds();
    }

    RouteToken token() {
        return token;
    }

    String storeId() {
        return storeId;
    }

    boolean mayHold(byte[] key) {
        return bounds.contains(key);
    }

    void sent(RangeCall call) {
        unanswered.put(call.number(), call);
    }

    /** Removes an answered call; returns false if it was given up before. */
    boolean answered(RangeCall call, boolean isApplied) {
        if (isApplied && unanswered.containsKey(call.number())) {
            notePassed(call);
        }
        return unanswered.remove(call.number()) != null;
    }

    /**
     * Notes earlier unanswered calls of the same key. Leaders usually answer in order, so the call is usually the
     * first. Calls of one key are sent in order.
     */
    private void notePassed(RangeCall applied) {
        for (RangeCall before : unanswered.values()) {
            if (before.number() == applied.number()) {
                return;
            }
            if (before.isRepeatable() && before.keyValue().equals(applied.keyValue())) {
                passed.add(before.number());
            }
        }
    }

    /** Whether a later call of the same key has been applied. */
    boolean isPassed(RangeCall call) {
        return passed.contains(call.number());
    }

    boolean isEmpty() {
        return unanswered.isEmpty();
    }

    void drainFrom(long nowNanos) {
        drainsSince = nowNanos;
    }

    long drainsSince() {
        return drainsSince;
    }

    void addTo(Collection<RangeCall> calls) {
        calls.addAll(unanswered.values());
    }

    /** Removes and returns all calls, which are no longer waited for. */
    List<RangeCall> giveUp() {
        List<RangeCall> given = new ArrayList<>(unanswered.values());
        unanswered.clear();
        return given;
    }
}
