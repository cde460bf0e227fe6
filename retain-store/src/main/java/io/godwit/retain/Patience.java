package io.godwit.retain;

import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.WaitReports;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.event.NodeWait;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;

/** How long callers wait for ranges of the retain store. Counts and reports each wait that runs out. Thread-safe. */
final class Patience {
    private final Duration timeout;
    private final WaitReports reports;

    Patience(Duration timeout, EventListener events, MeterRegistry meters) {
        this.timeout = timeout;
        this.reports = new WaitReports(events, meters, NodeWait.RETAINED);
    }

    /** The deadline of a request that begins now. */
    Deadline deadline() {
        return Deadline.afterMillis(timeout.toMillis());
    }

    /**
     * A request has failed. It is counted if its deadline has passed.
     *
     * @param what the request was about: a topic or a filter
     */
    void failed(Deadline deadline, String what, Throwable cause) {
        if (deadline.hasPassed(System.nanoTime())) {
            reports.ranOut(NodeWait.RETAINED, timeout, () -> what + ": " + cause.getMessage());
        }
    }
}
