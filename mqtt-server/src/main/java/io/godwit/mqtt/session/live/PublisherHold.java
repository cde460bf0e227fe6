package io.godwit.mqtt.session.live;

import io.godwit.dist.client.DistOutcome;
import io.godwit.mqtt.session.core.PublisherWaits;
import java.util.concurrent.CompletableFuture;

/**
 * Holds the publishers of QoS 1 and 2 messages to one slow live session, see {@code docs/adr/0031}. Confined to the
 * loop of the session, except for {@link #over}, which the loops of publishers read.
 */
final class PublisherHold {
    /** Ticks of one second: publishers wait for one to two seconds. */
    static final int MOST_TICKS = 2;

    private final PublisherWaits waits;
    private final CompletableFuture<DistOutcome> over = new CompletableFuture<>();
    private int ticks;

    /** @param waits has allowed this hold to begin */
    PublisherHold(PublisherWaits waits) {
        this.waits = waits;
    }

    /** Complete when publishers need not wait any more. */
    CompletableFuture<DistOutcome> over() {
        return over;
    }

    boolean isOver() {
        return over.isDone();
    }

    /** Lets the publishers go. Further calls do nothing. */
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
