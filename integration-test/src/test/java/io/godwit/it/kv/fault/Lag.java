package io.godwit.it.kv.fault;

import io.godwit.testing.Pace;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * How late one node's links to the others are in a proxy, and how slow. All its connections share what passes in a
 * second, each way for itself. Thread-safe.
 */
final class Lag {
    private long bytesPerSecond;
    private int mostMillis;
    /** When all that is under way will have passed; {@link System#nanoTime}. */
    private long outFree;

    private long inFree;

    synchronized void slow(long newBytesPerSecond) {
        bytesPerSecond = newBytesPerSecond;
        outFree = System.nanoTime();
        inFree = outFree;
    }

    /** @param newMostMillis larger than 0 */
    synchronized void delay(int newMostMillis) {
        mostMillis = newMostMillis;
    }

    /** What waits already is as late as it was to be. */
    synchronized void end() {
        bytesPerSecond = 0;
        mostMillis = 0;
    }

    /** Returns when so many bytes may go on that the node sends, or that it is sent. */
    void await(boolean isOut, int bytes) {
        Pace.until(due(isOut, bytes));
    }

    private synchronized long due(boolean isOut, int bytes) {
        long due = System.nanoTime();
        if (bytesPerSecond > 0) {
            long from = isOut ? outFree : inFree;
            due = Math.max(due - from, 0) + from + TimeUnit.SECONDS.toNanos(bytes) / bytesPerSecond;
            if (isOut) {
                outFree = due;
            } else {
                inFree = due;
            }
        }
        if (mostMillis > 0) {
            due += TimeUnit.MILLISECONDS.toNanos(ThreadLocalRandom.current().nextInt(mostMillis));
        }
        return due;
    }
}
