package io.godwit.broker.watch;

import io.godwit.broker.watch.question.EventQuestion;
import io.godwit.broker.watch.question.TraceQuestion;
import io.godwit.broker.watch.question.WatchQuestion;
import io.godwit.broker.watch.tap.EventTap;
import io.godwit.broker.watch.tap.TraceTap;
import io.godwit.broker.watch.tap.WatchQueue;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Watches this node, for its own operators and for those of other nodes. Confined to the thread of watches.
 *
 * <p>The bounds are over the operators of all nodes: an operator may ask many nodes, and all of them watch this one. A
 * tenant has a part of each, so that its operators leave some for others. Questions about all tenants have a part that
 * tenants cannot use up, for the operators of the cluster.
 */
final class OwnWatches {
    /**
     * Bound over the operators of all nodes. It is larger than the bound of feeds per node, so that one node cannot use
     * it up.
     */
    static final int MAX_EVENT_WATCHES = 128;

    static final int MAX_EVENT_WATCHES_OF_TENANT = 8;

    /** Each trace costs time on every message of the node. So does a watch of events of each message. */
    static final int MAX_TRACES = 8;

    static final int MAX_TRACES_OF_TENANT = 2;
    /** Of all tenants together. */
    static final int MAX_TRACES_OF_TENANTS = 6;

    private final EventTap events;
    private final TraceTap traces;
    private final LongSupplier nanoClock;
    /** What is watched now; as many as the bounds allow. */
    private final Map<WatchQueue, WatchQuestion> open = new HashMap<>();

    OwnWatches(EventTap events, TraceTap traces, LongSupplier nanoClock) {
        this.events = events;
        this.traces = traces;
        this.nanoClock = nanoClock;
    }

    /** @throws TooManyWatchesException when a bound is reached */
    WatchQueue open(WatchQuestion question) throws TooManyWatchesException {
        WatchQueue queue = new WatchQueue(nanoClock);
        if (question instanceof EventQuestion asked) {
            if (events.watchers() >= MAX_EVENT_WATCHES) {
                throw new TooManyWatchesException(
                        "the events of this node are watched " + MAX_EVENT_WATCHES + " times already");
            }
            requireRoomOfTenant(asked, MAX_EVENT_WATCHES_OF_TENANT, EventQuestion.class::isInstance);
            if (asked.isOfEachMessage()) {
                requireRoomOfEachMessage(asked, OwnWatches::isEventOfEachMessage);
            }
            events.watch(asked, queue);
        } else if (question instanceof TraceQuestion asked) {
            requireRoomOfEachMessage(asked, TraceQuestion.class::isInstance);
            events.watch(asked, queue);
            traces.watch(asked, queue);
        } else {
            throw new IllegalArgumentException("nobody tells of " + question);
        }
        open.put(queue, question);
        return queue;
    }

    private static boolean isEventOfEachMessage(WatchQuestion question) {
        return question instanceof EventQuestion asked && asked.isOfEachMessage();
    }

    /** For traces, and likewise for events of each message; {@code kind} is one of the two. */
    private void requireRoomOfEachMessage(WatchQuestion question, Predicate<WatchQuestion> kind)
            throws TooManyWatchesException {
        if (count(kind) >= MAX_TRACES) {
            throw new TooManyWatchesException("messages of this node are watched " + MAX_TRACES + " times already");
        }
        requireRoomOfTenant(question, MAX_TRACES_OF_TENANT, kind);
        if (question.tenant().isPresent()
                && count(kind.and(each -> each.tenant().isPresent())) >= MAX_TRACES_OF_TENANTS) {
            throw new TooManyWatchesException(
                    "messages of tenants are watched " + MAX_TRACES_OF_TENANTS + " times on this node already");
        }
    }

    private void requireRoomOfTenant(WatchQuestion question, int most, Predicate<WatchQuestion> kind)
            throws TooManyWatchesException {
        Optional<String> tenant = question.tenant();
        if (tenant.isPresent() && count(kind.and(each -> each.tenant().equals(tenant))) >= most) {
            throw new TooManyWatchesException("the tenant is watched that way " + most + " times on this node already");
        }
    }

    private long count(Predicate<WatchQuestion> kind) {
        return open.values().stream().filter(kind).count();
    }

    void close(WatchQueue queue) {
        open.remove(queue);
        events.unwatch(queue);
        traces.unwatch(queue);
    }
}
