package io.godwit.it.real.rolling;

import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;

/** What a {@link Pair} has seen. Thread-safe. */
final class Tally {
    private static final int MAX_NOTES = 60;

    private final Deque<String> notes = new ArrayDeque<>();
    private final AtomicInteger publisherConnections = new AtomicInteger();
    private final AtomicInteger subscriberConnections = new AtomicInteger();
    private final NavigableSet<Integer> acknowledged = new ConcurrentSkipListSet<>();
    private final NavigableSet<Integer> given = new ConcurrentSkipListSet<>();
    private final AtomicInteger repeated = new AtomicInteger();

    /** The broker has accepted a connection of the publisher. */
    void publisherConnected() {
        publisherConnections.incrementAndGet();
        note("publisher connected");
    }

    void subscriberConnected() {
        subscriberConnections.incrementAndGet();
        note("subscriber connected");
    }

    /** Keeps what else happened, with its time, for whoever reads a failure. */
    void note(String what) {
        synchronized (notes) {
            notes.add(LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.MILLIS) + " " + what);
            if (notes.size() > MAX_NOTES) {
                notes.remove();
            }
        }
    }

    String notes() {
        synchronized (notes) {
            return String.join("\n", notes);
        }
    }

    /** The broker has acknowledged a number to the publisher. */
    void acknowledged(int number) {
        acknowledged.add(number);
    }

    /** The subscriber was given a number. */
    void given(int number) {
        if (!given.add(number) && Pair.qosOf(number) == 2) {
            repeated.incrementAndGet();
        }
    }

    int publisherConnections() {
        return publisherConnections.get();
    }

    int subscriberConnections() {
        return subscriberConnections.get();
    }

    int acknowledgedCount() {
        return acknowledged.size();
    }

    /** Numbers of QoS 2 that the subscriber was given again: not every library knows them behind a reconnect. */
    int repeatedCount() {
        return repeated.get();
    }

    /** Whether a number behind this one was acknowledged and given. */
    boolean isServedBehind(int number) {
        return acknowledged.higher(number) != null && given.higher(number) != null;
    }

    /** What was acknowledged and not given, so far. */
    Set<Integer> missing() {
        Set<Integer> missing = new TreeSet<>(acknowledged);
        missing.removeAll(given);
        return missing;
    }
}
