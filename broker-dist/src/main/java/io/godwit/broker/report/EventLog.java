package io.godwit.broker.report;

import io.godwit.broker.api.LogText;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Reports what was discarded or refused: totals for {@code status}, and one log line per kind and period. Clients can
 * cause events at will, so it reads counters and listens to only one event per kind and period, as an example for the
 * line; for waits that ran out, to one per wait, since the example names what was waited for. With the log at level
 * trace it listens to all. Confined to its own thread, except {@link #onEvent} and {@link #isListening}.
 */
public final class EventLog implements EventListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EventLog.class);
    private static final long PERIOD_SECONDS = 10;
    private static final Set<Class<? extends BrokerEvent>> TOLD = EventKind.ALL.stream()
            .filter(kind -> kind.level() != null)
            .map(EventKind::event)
            .collect(Collectors.toUnmodifiableSet());
    /** Kinds with an example for each value of their tag. All their events are made, so each must be cheap. */
    private static final Set<Class<? extends BrokerEvent>> TOLD_EACH = Set.of(BrokerEvent.WaitRanOut.class);
    /** The largest number of characters of an example in the log. */
    private static final int MAX_EXAMPLE = 500;

    private final MeterRegistry meters;
    private final Consumer<Map<String, Long>> status;
    private final Runnable heartbeat;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "event-log");
        thread.setDaemon(true);
        return thread;
    });
    private Map<String, Long> told = Map.of();
    /** The first event of each reported kind since its last log line. Set by any thread, taken by the timer. */
    private final ConcurrentMap<Class<? extends BrokerEvent>, BrokerEvent> examples = new ConcurrentHashMap<>();
    /** The same for {@link #TOLD_EACH}, by the name of {@link EventKind#nameOf}. */
    private final ConcurrentMap<String, BrokerEvent> examplesOfEach = new ConcurrentHashMap<>();

    /**
     * @param status receives the totals by kind, without zeros, whenever they have changed
     * @param heartbeat runs once per period
     */
    @SuppressWarnings("FutureReturnValueIgnored") // runs until the timer is shut down
    EventLog(MeterRegistry meters, Consumer<Map<String, Long>> status, Runnable heartbeat) {
        this.meters = meters;
        this.status = status;
        this.heartbeat = heartbeat;
        timer.scheduleWithFixedDelay(this::guardedTell, PERIOD_SECONDS, PERIOD_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public boolean isListening(Class<? extends BrokerEvent> kind) {
        return TOLD.contains(kind) && (!examples.containsKey(kind) || TOLD_EACH.contains(kind)) || LOG.isTraceEnabled();
    }

    @Override
    public void onEvent(BrokerEvent event) {
        if (TOLD_EACH.contains(event.getClass())) {
            examplesOfEach.putIfAbsent(EventKind.of(event).nameOf(event), event);
        } else if (TOLD.contains(event.getClass())) {
            examples.putIfAbsent(event.getClass(), event);
        }
        if (LOG.isTraceEnabled()) {
            LOG.trace("event {}", text(event));
        }
    }

    void guardedTell() {
        try {
            tell();
        } catch (RuntimeException | Error e) { // outermost frame: must not end the schedule
            LOG.error("events could not be logged", e);
        }
    }

    /** Logs what has been counted since the last call, and runs the heartbeat. */
    private void tell() {
        heartbeat.run();
        Map<String, Long> wrong = EventKind.totals(Level.WARN, meters);
        Map<String, Long> refused = EventKind.totals(Level.INFO, meters);
        Map<String, Long> totals = new TreeMap<>(wrong);
        totals.putAll(refused);
        if (totals.equals(told)) {
            return;
        }
        Map<String, String> shown = takeExamples();
        log(Level.WARN, wrong, shown);
        log(Level.INFO, refused, shown);
        told = totals;
        status.accept(totals);
    }

    private void log(Level level, Map<String, Long> totals, Map<String, String> shown) {
        totals.forEach((kind, total) -> {
            long more = total - told.getOrDefault(kind, 0L);
            if (more > 0) {
                String example = shown.get(kind);
                LOG.atLevel(level)
                        .log(
                                "events kind={} count={} total={}{}",
                                kind,
                                more,
                                total,
                                example == null ? "" : " for example " + example);
            }
        });
    }

    /** By the name in {@link EventKind#totals}. */
    private Map<String, String> takeExamples() {
        Map<String, String> taken = new HashMap<>();
        examplesOfEach.keySet().forEach(name -> {
            BrokerEvent event = examplesOfEach.remove(name);
            if (event != null) {
                taken.put(name, text(event));
            }
        });
        for (EventKind kind : EventKind.ALL) {
            BrokerEvent event = examples.remove(kind.event());
            if (event != null) {
                taken.put(kind.nameOf(event), text(event));
            }
        }
        return taken;
    }

    private static String text(BrokerEvent event) {
        return LogText.of(event, MAX_EXAMPLE);
    }

    /** Logs once more, then ends the thread; waits for both. */
    @Override
    public void close() {
        timer.execute(this::tell);
        timer.shutdown();
        try {
            timer.awaitTermination(PERIOD_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
