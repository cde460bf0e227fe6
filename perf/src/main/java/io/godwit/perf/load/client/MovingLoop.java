package io.godwit.perf.load.client;

import io.godwit.perf.load.measure.Histograms;
import io.godwit.perf.load.measure.Time;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's share of the clients of a {@code Reconnect}: client i belongs to loop i modulo the number of loops.
 * All state is confined to the event loop, except for volatile fields and adders, which the thread that leads reads.
 */
public final class MovingLoop extends VerticleBase {
    /** Time between a failed attempt and the next one of the same client. */
    private static final long PAUSE_MILLIS = 100;

    private final RunContext home;
    private final RunContext refuge;
    private final int number;
    private final int loops;
    private final int mostInProgress;
    public final LoopCounters counters = new LoopCounters();
    /** Failed attempts at the refuge. */
    public final LongAdder refused = new LongAdder();

    /** Clients without a connection, in the order in which they lost it. */
    private final Deque<Integer> waiting = new ArrayDeque<>();
    /** Clients that have lost the connection to their home. */
    private final BitSet moved = new BitSet();

    private int inProgress;
    /** The time of each client from the loss of the home, as given to {@link #lost}, until its SUBACK. */
    private final Histogram served = Histograms.histogram();

    private @Nullable Thread thread;
    private volatile boolean isOver;
    private volatile long lostNanos;
    /** Written by the loop only. */
    private volatile int away;

    private volatile int back;
    private volatile long lastServedNanos;

    /**
     * @param home settings of clients that have not lost a connection yet
     * @param refuge settings of clients that have
     * @param mostInProgress the most connections that are being opened at a time
     */
    public MovingLoop(RunContext home, RunContext refuge, int number, int loops, int mostInProgress) {
        this.home = home;
        this.refuge = refuge;
        this.number = number;
        this.loops = loops;
        this.mostInProgress = mostInProgress;
    }

    @Override
    public Future<?> start() {
        thread = Thread.currentThread();
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

    /** Opens this loop's share of {@code total} clients. */
    public void open(int total) {
        loop().runOnContext(none -> {
            for (int i = number; i < total; i += loops) {
                waiting.add(i);
            }
            openNext();
        });
    }

    /**
     * To be called right before the home goes down; the time that clients are without service counts from {@code
     * nanos}.
     */
    public void lost(long nanos) {
        lostNanos = nanos;
    }

    /** Stops opening connections. */
    public void end() {
        isOver = true;
    }

    private void openNext() {
        while (!isOver && inProgress < mostInProgress && !waiting.isEmpty()) {
            int client = waiting.remove();
            inProgress++;
            RunContext run = moved.get(client) ? refuge : home;
            SubscribingClient connection = new SubscribingClient(vertx, run, counters, client, 0, 0, null);
            connection.whenLost(() -> lose(client));
            connection.open().onComplete(opened -> {
                inProgress--;
                if (opened.succeeded()) {
                    serve(client);
                } else if (moved.get(client)) {
                    refused.increment();
                    connection.close(); // it is still open if its SUBSCRIBE was refused
                    vertx.setTimer(PAUSE_MILLIS, none -> {
                        waiting.add(client);
                        openNext();
                    });
                }
                openNext();
            });
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // written by this loop only
    private void lose(int client) {
        if (!moved.get(client)) {
            moved.set(client);
            away++;
        } else {
            back--; // closed by the refuge
        }
        waiting.add(client);
        openNext();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // written by this loop only
    private void serve(int client) {
        if (moved.get(client)) {
            long nowNanos = Time.nowNanos();
            served.recordValue(Histograms.micros(nowNanos - lostNanos));
            lastServedNanos = nowNanos;
            back++;
        }
    }

    /** Clients that have lost the connection to their home. */
    public int away() {
        return away;
    }

    /** Clients that have lost it and are served elsewhere now. */
    public int back() {
        return back;
    }

    /** When the last client was served elsewhere, as {@link Time#nowNanos}. */
    long lastServedNanos() {
        return lastServedNanos;
    }

    /** Adds to {@code sum} the times until clients were served elsewhere. */
    public Future<Void> addTo(Histogram sum) {
        return Future.future(promise -> loop().runOnContext(none -> {
            synchronized (sum) { // shared by several loops
                sum.add(served);
            }
            promise.complete();
        }));
    }
}
