package io.godwit.mqtt.session;

import io.godwit.dist.client.DistOutcome;
import java.util.concurrent.CompletableFuture;

/**
 * The publishers of QoS 1 and 2 that wait for one live session, see {@code docs/adr/0031}. Confined to the loop of
 * the session but for {@link #over}, which the loops of publishers read.
 */
final class PublisherHold {
    /** Ticks of a second: the publishers wait for one to two seconds. */
    static final int MOST_TICKS = 2;

    private final PublisherWaits waits;
    private final CompletableFuture<DistOutcome> over = new CompletableFuture<>();
    private int ticks;

    /** @param waits has said that this may begin */
    PublisherHold(PublisherWaits waits) {
        this.waits = waits;
    }

    /** Done when publishers need not wait any more. */
    CompletableFuture<DistOutcome> over() {
        return over;
    }

    boolean isOver() {
        return over.isDone();
    }

    /** Lets the publishers go. Repeatable. */
    void end() {
        if (!over.isDone()) {
            waits.end();
            over.complete(DistOutcome.DELIVERED);
        }
    }

    /** A second has passed. */
    void tick() {
        if (++ticks >= MOST_TICKS) {
            end();
        }
    }
}
