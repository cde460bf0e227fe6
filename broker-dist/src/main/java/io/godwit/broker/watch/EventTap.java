package io.godwit.broker.watch;

import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands the events of this node to whoever watches, and to the listener behind it. While nobody watches it costs one
 * volatile read. Any thread.
 */
public final class EventTap implements EventListener {
    private static final Logger LOG = LoggerFactory.getLogger(EventTap.class);
    private static final Watcher[] NOBODY = {};

    private final EventListener next;
    private final LongSupplier millis;
    /** Never changed but as a whole, by {@link #watch} and {@link #unwatch}. */
    private volatile Watcher[] watchers = NOBODY;

    /** Whether a fault was logged: it would come again with each event. Atomic: events come on any thread. */
    private final AtomicBoolean hasFailed = new AtomicBoolean();

    private record Watcher(EventWatch question, WatchQueue queue) {}

    /**
     * @param next is told of all that it wants
     * @param millis wall time since 1970
     */
    public EventTap(EventListener next, LongSupplier millis) {
        this.next = next;
        this.millis = millis;
    }

    /** From now on events that match are offered to the queue. */
    synchronized void watch(EventWatch question, WatchQueue queue) {
        Watcher[] more = Arrays.copyOf(watchers, watchers.length + 1);
        more[watchers.length] = new Watcher(question, queue);
        watchers = more;
    }

    synchronized void unwatch(WatchQueue queue) {
        watchers = Arrays.stream(watchers).filter(each -> each.queue != queue).toArray(Watcher[]::new);
    }

    int watchers() {
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
        } catch (RuntimeException e) { // whoever raises an event must not fail by who watches it
            if (!hasFailed.getAndSet(true)) {
                LOG.warn(
                        "events of this kind are not told kind={}",
                        event.getClass().getSimpleName(),
                        e);
            }
        }
    }
}
