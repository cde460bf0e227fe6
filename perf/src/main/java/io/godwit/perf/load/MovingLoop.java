package io.godwit.perf.load;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;

/**
 * One event loop's share of the clients of a {@link Reconnect}: client i belongs to loop i modulo the number of loops.
 * All state is the event loop's; the thread that leads reads what is volatile and the adders.
 */
final class MovingLoop extends VerticleBase {
    /** Between an attempt that failed and the next one of that client. */
    private static final long PAUSE_MILLIS = 100;

    private final RunContext home;
    private final RunContext refuge;
    private final int number;
    private final int loops;
    private final int mostInProgress;
    final LoopCounters counters = new LoopCounters();
    /** Attempts at the refuge that failed. */
    final LongAdder refused = new LongAdder();

    /** Clients that have no connection, in the order in which they lost it. */
    private final Deque<Integer> waiting = new ArrayDeque<>();
    /** Clients that have lost the connection to their home. */
    private final BitSet moved = new BitSet();

    private int inProgress;
    /** From the loss of the home, as {@link #lost} was told, until the SUBACK of each client. */
    private final Histogram served = Histograms.histogram();

    private volatile boolean isOver;
    private volatile long lostNanos;
    /** Written by the loop only. */
    private volatile int away;

    private volatile int back;
    private volatile long lastServedNanos;

    /**
     * @param home of clients before they have lost a connection
     * @param refuge of clients after that
     * @param mostInProgress connections that are being opened at one time
     */
    MovingLoop(RunContext home, RunContext refuge, int number, int loops, int mostInProgress) {
        this.home = home;
        this.refuge = refuge;
        this.number = number;
        this.loops = loops;
        this.mostInProgress = mostInProgress;
    }

    private Context loop() {
        return context;
    }

    /** Opens this loop's share of {@code total} clients. */
    void open(int total) {
        loop().runOnContext(none -> {
            for (int i = number; i < total; i += loops) {
                waiting.add(i);
            }
            openNext();
        });
    }

    /** The home will be lost, and the time that clients are without service counts from then on. */
    void lost(long nanos) {
        lostNanos = nanos;
    }

    /** Opens no more, whatever is lost. */
    void end() {
        isOver = true;
    }

    private void openNext() {
        while (!isOver && inProgress < mostInProgress && !waiting.isEmpty()) {
            int client = waiting.remove();
            inProgress++;
            RunContext run = moved.get(client) ? refuge : home;
            Subscriber connection = new Subscriber(vertx, run, counters, client, 0, 0, null);
            connection.whenLost(() -> lose(client));
            connection.open().onComplete(opened -> {
                inProgress--;
                if (opened.succeeded()) {
                    serve(client);
                } else if (moved.get(client)) {
                    refused.increment();
                    connection.close(); // one whose SUBSCRIBE was refused is open still
                    vertx.setTimer(PAUSE_MILLIS, none -> {
                        waiting.add(client);
                        openNext();
                    });
                }
                openNext();
            });
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // only this loop writes
    private void lose(int client) {
        if (!moved.get(client)) {
            moved.set(client);
            away++;
        } else {
            back--; // the refuge has closed it
        }
        waiting.add(client);
        openNext();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // only this loop writes
    private void serve(int client) {
        if (moved.get(client)) {
            long nowNanos = Time.nowNanos();
            served.recordValue(Histograms.micros(nowNanos - lostNanos));
            lastServedNanos = nowNanos;
            back++;
        }
    }

    /** Clients that have lost the connection to their home. */
    int away() {
        return away;
    }

    /** Of these: clients that are served elsewhere. */
    int back() {
        return back;
    }

    /** When the last one of these was, by {@link Time#nowNanos}. */
    long lastServedNanos() {
        return lastServedNanos;
    }

    /** Adds the times of the clients that are served elsewhere to {@code sum}. */
    Future<Void> addTo(Histogram sum) {
        return Future.future(promise -> loop().runOnContext(none -> {
            synchronized (sum) { // of several loops
                sum.add(served);
            }
            promise.complete();
        }));
    }
}
