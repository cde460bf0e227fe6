package io.godwit.broker.watch;

import java.util.function.LongSupplier;

/** Watches this node, for its own operators and for those of other nodes. Confined to the thread of watches. */
final class OwnWatches {
    /**
     * Bound over the operators of all nodes. It is larger than the bound of feeds per node, so that one node cannot use
     * it up.
     */
    static final int MAX_EVENT_WATCHES = 128;

    /** Each trace costs time on every message of the node. */
    static final int MAX_TRACES = 8;

    private final EventTap events;
    private final TraceTap traces;
    private final LongSupplier nanoClock;

    OwnWatches(EventTap events, TraceTap traces, LongSupplier nanoClock) {
        this.events = events;
        this.traces = traces;
        this.nanoClock = nanoClock;
    }

    /** @throws TooManyWatchesException when the bound is reached */
    WatchQueue open(WatchQuestion question) throws TooManyWatchesException {
        WatchQueue queue = new WatchQueue(nanoClock);
        if (question instanceof EventQuestion asked) {
            if (events.watchers() >= MAX_EVENT_WATCHES) {
                throw new TooManyWatchesException(
                        "the events of this node are watched " + MAX_EVENT_WATCHES + " times already");
            }
            events.watch(asked, queue);
        } else if (question instanceof TraceQuestion asked) {
            if (traces.traces() >= MAX_TRACES) {
                throw new TooManyWatchesException(MAX_TRACES + " traces run on this node already");
            }
            events.watch(asked, queue);
            traces.watch(asked, queue);
        } else {
            throw new IllegalArgumentException("nobody tells of " + question);
        }
        return queue;
    }

    void close(WatchQueue queue) {
        events.unwatch(queue);
        traces.unwatch(queue);
    }
}
