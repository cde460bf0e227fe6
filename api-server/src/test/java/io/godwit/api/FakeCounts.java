package io.godwit.api;

import io.godwit.api.port.ApiCounts;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/** What was counted, in memory. Thread-safe. */
public final class FakeCounts implements ApiCounts {
    private final Map<String, Integer> counted = new TreeMap<>();
    private final AtomicInteger open = new AtomicInteger();

    private synchronized void count(String what) {
        counted.merge(what, 1, Integer::sum);
    }

    /** How often; such as {@code "listNodes 200"}, {@code "problem not-found"}, {@code "refused ALL"}. */
    public synchronized int of(String what) {
        return counted.getOrDefault(what, 0);
    }

    /** All by their names. */
    public synchronized Map<String, Integer> all() {
        return Map.copyOf(counted);
    }

    /** Open connections. */
    public int open() {
        return open.get();
    }

    @Override
    public void answered(String operation, int status) {
        count(operation + " " + status);
    }

    @Override
    public void problem(String kind) {
        count("problem " + kind);
    }

    @Override
    public void limited(Bound bound) {
        count("limited " + bound);
    }

    @Override
    public void connectionOpened() {
        open.incrementAndGet();
    }

    @Override
    public void connectionEnded() {
        open.decrementAndGet();
    }

    @Override
    public void connectionRefused(Bound bound) {
        count("refused " + bound);
    }

    @Override
    public void connectionClosed(Cause cause) {
        count("closed " + cause);
    }
}
