package io.godwit.broker.watch.tap;

import io.godwit.broker.watch.question.EventWatch;
import io.godwit.broker.watch.question.EventWords;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes the events of this node to watchers, and to the next listener. Without watchers it costs one volatile read.
 * Any thread.
 */
public final class EventTap implements EventListener {
    private static final Logger LOG = LoggerFactory.getLogger(EventTap.class);
    private static final Watcher[] NOBODY = {};

    private final EventListener next;
    private final LongSupplier millis;
    /** Copied on write by {@link #watch} and {@link #unwatch}. */
    private volatile Watcher[] watchers = NOBODY;

    /** Whether a fault was logged, since it would recur with each event. Atomic: events come on any thread. */
    private final AtomicBoolean hasFailed = new AtomicBoolean();

    private record Watcher(EventWatch question, WatchQueue queue) {}

    /**
     * @param next receives all events that it listens to
     * @param millis wall time since 1970
     */
    public EventTap(EventListener next, LongSupplier millis) {
        this.next = next;
        this.millis = millis;
    }

    /** Offers matching events to the queue from now on. */
    public synchronized void watch(EventWatch question, WatchQueue queue) {
        Watcher[] more = Arrays.copyOf(watchers, watchers.length + 1);
        more[watchers.length] = new Watcher(question, queue);
        watchers = more;
    }

    public synchronized void unwatch(WatchQueue queue) {
        watchers = Arrays.stream(watchers).filter(each -> each.queue != queue).toArray(Watcher[]::new);
    }

    public int watchers() {
        return watchers.length;
    }

    @Override
    public boolean isListening(Class<? extends BrokerEvent> kind) {
        Watcher[] now = watchers;
        for (Watcher watcher : now) {
            if (watcher.question.wants(kind)) {
                return true;
            }
        }
        return next.isListening(kind);
    }

    @Override
    public void onEvent(BrokerEvent event) {
        Watcher[] now = watchers;
        for (Watcher watcher : now) {
            offer(watcher, event);
        }
        if (now.length == 0 || next.isListening(event.getClass())) {
            next.onEvent(event);
        }
    }

    private void offer(Watcher watcher, BrokerEvent event) {
        try {
            if (watcher.question.matches(event)) {
                watcher.queue.offer(() -> EventWords.of(event.getClass()).entry(event, millis.getAsLong()));
            }
        } catch (RuntimeException e) { // a watcher's fault must not reach the source of the event
            if (!hasFailed.getAndSet(true)) {
                LOG.warn(
                        "events of this kind are not told kind={}",
                        event.getClass().getSimpleName(),
                        e);
            }
        }
    }
}
