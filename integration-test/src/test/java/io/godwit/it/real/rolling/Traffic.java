package io.godwit.it.real.rolling;

import io.godwit.testing.Await;
import io.godwit.testing.Pace;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * Numbers on their way through a {@link Pair}, published at a steady rate by a thread of its own, and what was wrong
 * with it. The other methods are for the thread of the test.
 */
final class Traffic implements AutoCloseable {
    private static final long PERIOD_MILLIS = 50;
    private static final Duration QUIET = Duration.ofSeconds(1);

    private final String name;
    private final Pair pair;
    private final Tally tally;
    private final Thread thread;
    private final List<String> wrong = new ArrayList<>();
    private final List<String> reconnects = new ArrayList<>();
    private int publisherConnections;
    private int subscriberConnections;
    private volatile int number;
    private volatile int leftOut;
    private volatile boolean isStopped;

    Traffic(String name, Pair pair, Tally tally) {
        this.name = name;
        this.pair = pair;
        this.tally = tally;
        this.thread = new Thread(this::publish, name);
        thread.setDaemon(true);
    }

    /** Connects, and publishes from now on. */
    void start() throws Exception {
        pair.connect();
        thread.start();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
    private void publish() {
        while (!isStopped) {
            int next = number + 1;
            number = next;
            try {
                pair.publish(next);
            } catch (Exception e) { // the library says that there is no connection just now
                leftOut++;
            }
            Pace.passMillis(PERIOD_MILLIS);
        }
    }

    /** The last number that was published, or left out. */
    int number() {
        return number;
    }

    boolean isServedBehind(int mark) {
        return tally.isServedBehind(mark);
    }

    void restartBegins() {
        publisherConnections = tally.publisherConnections();
        subscriberConnections = tally.subscriberConnections();
    }

    /** Each of both may have connected once since the restart began. */
    void restartEnded(String restart) {
        int ofPublisher = tally.publisherConnections() - publisherConnections;
        int ofSubscriber = tally.subscriberConnections() - subscriberConnections;
        reconnects.add(ofPublisher + "+" + ofSubscriber);
        if (ofPublisher > 1 || ofSubscriber > 1) {
            wrong("%s: the publisher connected %d times, the subscriber %d times"
                    .formatted(restart, ofPublisher, ofSubscriber));
        }
    }

    /** Nothing more is published, also when the library holds up a call. */
    void stopPublishing() {
        isStopped = true;
    }

    /**
     * Waits until all that was acknowledged is given, and nothing else was acknowledged for a second: the last numbers
     * may still be on their way when publishing stops. Returns after {@code patience} in any case.
     */
    static void awaitRest(Collection<Traffic> all, Duration patience) {
        Await.comesToHold(patience, () -> {
            int before = acknowledgedCount(all);
            return !Await.comesToHold(
                    QUIET,
                    () -> acknowledgedCount(all) != before
                            || all.stream().anyMatch(each -> !each.missing().isEmpty()));
        });
    }

    private static int acknowledgedCount(Collection<Traffic> all) {
        return all.stream().mapToInt(each -> each.tally.acknowledgedCount()).sum();
    }

    Set<Integer> missing() {
        return tally.missing();
    }

    void wrong(String what) {
        wrong.add(what);
    }

    List<String> wrong() {
        return List.copyOf(wrong);
    }

    /** Of both, in all. */
    int reconnects() {
        return tally.publisherConnections() + tally.subscriberConnections() - 2;
    }

    @Override
    public void close() throws IOException {
        stopPublishing();
        pair.close();
    }

    /** What happened to its connections, and what it has printed of late. */
    String details() {
        return this + "\n" + tally.notes() + "\n" + pair.said();
    }

    @Override
    public String toString() {
        return "%s: %d of %d numbers acknowledged, %d left out by the library, %d of QoS 2 given again, reconnects %s"
                .formatted(name, tally.acknowledgedCount(), number, leftOut, tally.repeatedCount(), reconnects);
    }
}
