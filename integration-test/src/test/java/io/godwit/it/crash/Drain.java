package io.godwit.it.crash;

import io.godwit.testing.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits of a run's thread for its clients. */
final class Drain {
    private Drain() {}

    /** Waits until all are connected, nothing is unacknowledged, and nothing has come for a while. */
    static void of(Load load, History history, int quietMillis) throws IOException {
        await("publishers and absent subscribers", 90, load::isDrained);
        Await looks = Await.atMost(Duration.ofMinutes(2));
        long count = -1;
        long since = 0;
        while (true) {
            long now = System.nanoTime();
            long messages = history.messagesIn();
            if (messages != count) {
                count = messages;
                since = now;
            } else if (TimeUnit.NANOSECONDS.toMillis(now - since) > quietMillis && load.isDrained()) {
                return;
            }
            if (!looks.again()) {
                throw new IOException("still delivering after 120 s; " + count + " messages");
            }
        }
    }

    static void await(String what, int seconds, BooleanSupplier condition) throws IOException {
        Await looks = Await.atMost(Duration.ofSeconds(seconds));
        while (!condition.getAsBoolean()) {
            if (!looks.again()) {
                throw new IOException(what + ": not there after " + seconds + " s");
            }
        }
    }
}
