package io.godwit.broker.plugin.guard;

import io.godwit.broker.plugin.context.Thrown;
import io.godwit.broker.plugin.instance.HostedPlugin;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.event.EventListenerFactory;
import io.godwit.plugin.event.PluginFault;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The event listener of a plugin, with a bounded queue and one thread of the plugin. {@link #onEvent} takes no lock and
 * never waits, whatever the plugin does: events that do not fit are counted. Thread-safe.
 *
 * <p>Faults are counted for each event, but reported only once in {@link #TOLD_NANOS}: there may be a million per
 * second, and each report is an event. A listener gets no events about its own faults.
 */
final class GuardedListener implements EventListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedListener.class);

    static final long TOLD_NANOS = 10_000_000_000L;

    private final EventListener listener;
    private final HostedPlugin plugin;
    private final LongSupplier nanoClock;
    private final Duration longest;
    private final Set<Class<? extends BrokerEvent>> kinds;
    private final ThreadPoolExecutor thread;

    private record Waiting(BrokerEvent event, int bytes) {}

    private final Queue<Waiting> waiting = new ConcurrentLinkedQueue<>();
    /** Atomic, like the next two: events are added on any thread and taken on the plugin's. */
    private final AtomicInteger count = new AtomicInteger();

    private final AtomicLong bytes = new AtomicLong();
    /** Whether the plugin's thread was notified and has not found the queue empty since. */
    private final AtomicBoolean isTaken = new AtomicBoolean();

    private final LongAdder dropped = new LongAdder();
    private final LongAdder threw = new LongAdder();
    private volatile String lastThrown = "";

    // confined to the watching thread
    private long droppedTold;
    private long threwTold;
    private long toldNanos;

    // the current call; guarded by this
    private @Nullable Thread caller;
    private long beganNanos;
    private String calledFor = "";
    private boolean isOverdue;

    private GuardedListener(
            EventListener listener,
            HostedPlugin plugin,
            LongSupplier nanoClock,
            Set<Class<? extends BrokerEvent>> kinds) {
        this.listener = listener;
        this.plugin = plugin;
        this.nanoClock = nanoClock;
        this.longest = plugin.limits().event();
        this.kinds = kinds;
        this.thread = plugin.threads().pool("events", 1, 1);
        this.toldNanos = nanoClock.getAsLong() - TOLD_NANOS;
    }

    /** Asks the listener for the kinds of events that it wants. Blocks. */
    static GuardedListener of(EventListener listener, HostedPlugin plugin, LongSupplier nanoClock, MeterRegistry meters)
            throws IOException {
        Set<Class<? extends BrokerEvent>> kinds =
                plugin.bounded("isListening", plugin.limits().start(), () -> wanted(listener));
        GuardedListener guarded = new GuardedListener(listener, plugin, nanoClock, kinds);
        plugin.onTick(guarded::tick);
        FunctionCounter.builder("godwit.plugins.events.dropped", guarded.dropped, LongAdder::sum)
                .description("events that a plugin was not told of, since too many waited")
                .tags("plugin", plugin.name())
                .register(meters);
        Gauge.builder("godwit.plugins.events.waiting", guarded.count, AtomicInteger::get)
                .description("events that wait for a plugin")
                .tags("plugin", plugin.name())
                .register(meters);
        return guarded;
    }

    @SuppressWarnings("unchecked") // all are subtypes of the sealed interface
    private static Set<Class<? extends BrokerEvent>> wanted(EventListener listener) {
        Set<Class<? extends BrokerEvent>> kinds = new LinkedHashSet<>();
        for (Class<?> each : BrokerEvent.class.getPermittedSubclasses()) {
            Class<? extends BrokerEvent> kind = (Class<? extends BrokerEvent>) each;
            if (listener.isListening(kind)) {
                kinds.add(kind);
            }
        }
        return Set.copyOf(kinds);
    }

    /** The kinds of events that the listener wants. */
    Set<Class<? extends BrokerEvent>> kinds() {
        return kinds;
    }

    @Override
    public boolean isListening(Class<? extends BrokerEvent> kind) {
        return kinds.contains(kind);
    }

    @Override
    public void onEvent(BrokerEvent event) {
        if (event instanceof BrokerEvent.PluginFailed failed && failed.plugin().equals(plugin.name())) {
            return;
        }
        if (count.incrementAndGet() > EventListenerFactory.MAX_WAITING
                || bytes.get() >= EventListenerFactory.MAX_WAITING_BYTES) {
            count.decrementAndGet();
            dropped.increment();
            return;
        }
        Waiting entry = new Waiting(event, EventSize.of(event));
        bytes.addAndGet(entry.bytes);
        waiting.add(entry);
        wake();
    }

    private void wake() {
        if (!isTaken.get() && isTaken.compareAndSet(false, true)) {
            try {
                thread.execute(this::take);
            } catch (RejectedExecutionException e) { // it is closed
                isTaken.set(false);
            }
        }
    }

    private void take() {
        do {
            try {
                for (Waiting next = waiting.poll(); next != null; next = waiting.poll()) {
                    count.decrementAndGet();
                    bytes.addAndGet(-next.bytes);
                    tell(next.event);
                }
            } finally {
                isTaken.set(false);
            }
            // an event may have come after the queue was found empty; after close() the thread takes no new task for it
        } while (!waiting.isEmpty() && isTaken.compareAndSet(false, true));
    }

    private void tell(BrokerEvent event) {
        long began = nanoClock.getAsLong();
        begin(event, began);
        try {
            listener.onEvent(event);
        } catch (Throwable e) { // outermost frame of the plugin, which may throw anything
            lastThrown = "onEvent of " + event.getClass().getSimpleName() + ": threw " + Thrown.text(e);
            threw.increment();
        } finally {
            end();
            plugin.reports().called(nanoClock.getAsLong() - began);
        }
    }

    private synchronized void begin(BrokerEvent event, long now) {
        caller = Thread.currentThread();
        beganNanos = now;
        calledFor = event.getClass().getSimpleName();
    }

    private synchronized void end() {
        caller = null;
        if (isOverdue) {
            isOverdue = false;
            Thread.interrupted(); // clears an interrupt for a call that has ended
        }
    }

    // ---- on the watching thread

    private void tick(long nowNanos) {
        reportOverdue(nowNanos);
        if (nowNanos - toldNanos < TOLD_NANOS) {
            return;
        }
        long allDropped = dropped.sum();
        long allThrew = threw.sum();
        if (allDropped == droppedTold && allThrew == threwTold) {
            return;
        }
        toldNanos = nowNanos;
        tell(PluginFault.QUEUE_FULL, allDropped - droppedTold, "events dropped, " + allDropped + " in all");
        tell(PluginFault.THREW, allThrew - threwTold, "times; the last: " + lastThrown);
        droppedTold = allDropped;
        threwTold = allThrew;
    }

    private void tell(PluginFault fault, long more, String detail) {
        if (more > 0) {
            LOG.warn(
                    "plugin fails at events plugin={} fault={} count={} detail={}", plugin.name(), fault, more, detail);
            plugin.reports().faults(fault, more, more + " " + detail);
        }
    }

    private void reportOverdue(long nowNanos) {
        String what = interruptOverdue(nowNanos);
        if (what != null) {
            String detail = "onEvent of " + what + ": has not returned after " + longest.toMillis() + " ms";
            LOG.warn("plugin holds up its events plugin={} detail={}", plugin.name(), detail);
            plugin.reports().fault(PluginFault.NO_ANSWER, detail);
        }
    }

    /**
     * Interrupts the current call if it is overdue.
     *
     * @return the kind of its event; null if it is not overdue, or was interrupted before
     */
    private synchronized @Nullable String interruptOverdue(long nowNanos) {
        Thread stuck = caller;
        if (stuck == null || isOverdue || nowNanos - beganNanos < longest.toNanos()) {
            return null;
        }
        isOverdue = true;
        stuck.interrupt();
        return calledFor;
    }

    /**
     * Ends the flow of events. Waits for a limited time until those in the queue are handled; the others count as
     * dropped.
     */
    @Override
    public void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(plugin.limits().stop().toMillis(), TimeUnit.MILLISECONDS)) {
                thread.shutdownNow();
            }
        } catch (InterruptedException e) {
            thread.shutdownNow();
            Thread.currentThread().interrupt();
        }
        int lost = 0;
        for (Waiting next = waiting.poll(); next != null; next = waiting.poll()) {
            count.decrementAndGet();
            bytes.addAndGet(-next.bytes);
            lost++;
        }
        if (lost > 0) {
            dropped.add(lost);
            LOG.warn("plugin was not told of its last events plugin={} count={}", plugin.name(), lost);
        }
    }
}
