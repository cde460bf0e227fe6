package io.godwit.retain;

import io.godwit.kv.client.Deadline;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.event.NodeWait;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Locale;

/** How long ranges of the retain store are waited for. Counts waits that run out, and tells of them. Thread-safe. */
final class Patience {
    private final Duration timeout;
    private final EventListener events;
    private final Counter over;

    Patience(Duration timeout, EventListener events, MeterRegistry meters) {
        this.timeout = timeout;
        this.events = events;
        this.over = Counter.builder("godwit.waits.over")
                .description("waits for other nodes that ran out")
                .tag("wait", NodeWait.RETAINED.name().toLowerCase(Locale.ROOT))
                .register(meters);
    }

    /** Of a request that begins now. */
    Deadline deadline() {
        return Deadline.afterMillis(timeout.toMillis());
    }

    /**
     * A request has failed. It is counted if its deadline has passed.
     *
     * @param what it was about: a topic or a filter
     */
    void failed(Deadline deadline, String what, Throwable cause) {
        if (!deadline.hasPassed(System.nanoTime())) {
            return;
        }
        over.increment();
        if (events.isListening(BrokerEvent.WaitRanOut.class)) {
            events.onEvent(new BrokerEvent.WaitRanOut(NodeWait.RETAINED, timeout, what + ": " + cause.getMessage()));
        }
    }
}
