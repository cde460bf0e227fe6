package io.godwit.perf.load.client;

import io.godwit.perf.load.check.Streams;
import io.godwit.perf.load.measure.Histograms;
import io.godwit.perf.load.measure.Time;
import io.godwit.perf.load.measure.Timetable;
import io.godwit.perf.scenario.Scenario;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's share of the clients: client i of each role belongs to loop i modulo the number of loops. All state
 * is confined to the event loop, except for volatile fields, which the {@link Pacer} reads.
 */
public final class LoadLoop extends VerticleBase {
    /**
     * Messages granted at a time; those due beyond are granted at the next wake-up, after arrivals have been handled.
     */
    private static final int MOST_AT_ONCE = 2_000;

    private final RunContext run;
    private final int number;
    private final int loops;
    public final LoopCounters counters = new LoopCounters();
    final List<PublishingClient> publishers = new ArrayList<>();
    final List<SubscribingClient> subscribers = new ArrayList<>();
    private final List<Connection> others = new ArrayList<>();
    private final AtomicBoolean isWoken = new AtomicBoolean(); // set by the pacer, cleared by the loop
    private volatile @Nullable Opening opening;
    private volatile @Nullable Timetable sends;
    /** Written by the loop only. */
    private volatile long grants;

    private @Nullable Thread thread;
    /** Null if subscribers acknowledge at once. */
    private @Nullable DelayedAcks acks;

    /** The opening of this loop's clients of one role. */
    private static final class Opening {
        private final ClientRole role;
        private final int count;
        private final @Nullable Timetable table;
        private final int mostInProgress;
        /** Written by the loop only. */
        private volatile int begun;

        private volatile int inProgress;

        private Opening(ClientRole role, int count, @Nullable Timetable table, int mostInProgress) {
            this.role = role;
            this.count = count;
            this.table = table;
            this.mostInProgress = mostInProgress;
        }

        private boolean isDue(long nowNanos) {
            return begun < count && inProgress < mostInProgress && (table == null || begun < table.due(nowNanos));
        }
    }

    public LoadLoop(RunContext run, int number, int loops) {
        this.run = run;
        this.number = number;
        this.loops = loops;
    }

    @Override
    public Future<?> start() {
        thread = Thread.currentThread();
        Duration delay = run.settings().ackDelay();
        acks = delay.isZero() ? null : new DelayedAcks(vertx, delay);
        return Future.succeededFuture();
    }

    /** The event loop's thread; available after deployment. */
    public Thread thread() {
        if (thread == null) {
            throw new IllegalStateException("not deployed yet");
        }
        return thread;
    }

    private Context loop() {
        return context;
    }

    /** How many of {@code total} clients belong to this loop. */
    public int share(int total) {
        return total / loops + (number < total % loops ? 1 : 0);
    }

    /**
     * Opens this loop's share of {@code total} clients.
     *
     * @param table when to open them; null: as fast as the broker answers
     */
    public void open(ClientRole role, int total, @Nullable Timetable table, int mostInProgress) {
        opening = new Opening(role, share(total), table, Math.max(1, mostInProgress));
    }

    /** Makes publishers send by {@code table}, in rotation. */
    public void publish(Timetable table) {
        Future.future((Promise<Void> prepared) -> loop().runOnContext(none -> {
            for (int i = 0; i < publishers.size(); i++) {
                publishers.get(i).follow(table, i, publishers.size());
            }
            grants = 0;
            sends = table;
            prepared.complete();
        }));
    }

    public void publishInClosedLoop() {
        loop().runOnContext(none -> {
            publishers.forEach(PublishingClient::startClosedLoop);
        });
    }

    /** Stops all sending. */
    public Future<Void> stopPublishing() {
        return onLoop(() -> {
            sends = null;
            publishers.forEach(PublishingClient::stop);
            return Future.succeededFuture();
        });
    }

    /**
     * Has each publisher ask its broker by a ping whether it has read all messages; {@link LoopCounters#fenced} counts
     * the answers.
     */
    public void fence() {
        loop().runOnContext(none -> publishers.forEach(PublishingClient::fence));
    }

    /** Disconnects all clients. */
    public Future<Void> closeAll() {
        return onLoop(() -> {
            if (acks != null) {
                acks.giveAll();
            }
            List<Future<Void>> closing = new ArrayList<>();
            publishers.forEach(client -> closing.add(client.close()));
            subscribers.forEach(client -> closing.add(client.close()));
            others.forEach(client -> closing.add(client.close()));
            return Future.join(closing).mapEmpty();
        });
    }

    /** Removes the persistent sessions of this loop's clients; the future has the number removed. */
    public Future<Integer> removeSessions() {
        return onLoop(() -> {
            List<Connection> sessions = new ArrayList<>(subscribers);
            sessions.addAll(others);
            Promise<Integer> removed = Promise.promise();
            SessionRemoval removal = new SessionRemoval(vertx, run, sessions);
            removal.start(removed);
            return removed.future();
        });
    }

    private <T> Future<T> onLoop(Supplier<Future<T>> work) {
        return Future.future(promise -> loop().runOnContext(none -> work.get().onComplete(promise)));
    }

    /** Whether there is something to open or to send now; called by the pacer. */
    boolean isDue(long nowNanos) {
        Opening clients = opening;
        Timetable table = sends;
        return (clients != null && clients.isDue(nowNanos)) || (table != null && grants < table.due(nowNanos));
    }

    /** Has the loop do what is due, unless it is already scheduled to. */
    void wake() {
        if (isWoken.compareAndSet(false, true)) {
            loop().runOnContext(none -> {
                isWoken.set(false);
                openDue();
                publishDue();
            });
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // written by this loop only
    private void openDue() {
        Opening clients = opening;
        if (clients == null) {
            return;
        }
        while (clients.isDue(Time.nowNanos())) {
            int sequence = clients.begun;
            clients.begun = sequence + 1;
            clients.inProgress++;
            if (clients.table != null) {
                long late = Time.nowNanos() - clients.table.intendedNanos(sequence);
                counters.connectLateness.recordValue(Histograms.micros(late));
            }
            client(clients.role, number + sequence * loops).open().onComplete(done -> {
                clients.inProgress--;
                openDue();
            });
        }
    }

    private Connection client(ClientRole role, int index) {
        Scenario scenario = run.scenario();
        return switch (role) {
            case BACKGROUND -> {
                Connection client = new Connection(
                        vertx, run, counters, run.clientId("b", index), role, index, scenario.isCleanSession());
                others.add(client);
                yield client;
            }
            case ONE_SHOT -> {
                Connection client = new OneShotClient(vertx, run, counters, index);
                others.add(client);
                yield client;
            }
            case SUBSCRIBER -> {
                Streams.Heard heard = Streams.heardBy(scenario, index);
                SubscribingClient client = new SubscribingClient(
                        vertx, run, counters, index, heard.firstPublisher(), heard.publishers(), acks);
                subscribers.add(client);
                yield client;
            }
            case PUBLISHER -> {
                Streams.Written written = Streams.writtenBy(scenario, index);
                PublishingClient client =
                        new PublishingClient(vertx, run, counters, index, written.firstTopic(), written.topics());
                publishers.add(client);
                yield client;
            }
        };
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // written by this loop only
    private void publishDue() {
        Timetable table = sends;
        if (table != null && !publishers.isEmpty()) {
            long due = table.due(Time.nowNanos());
            for (int i = 0; i < MOST_AT_ONCE && grants < due; i++) {
                publishers.get((int) (grants % publishers.size())).grant();
                grants++;
            }
        }
    }
}
