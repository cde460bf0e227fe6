package io.godwit.broker;

import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Makes what was discarded or refused visible: totals for {@code status}, and one line in the log per kind and period in which it
 * happened, since clients can cause events at will. It reads the counters; events themselves it wants only for a log at level trace. Confined
 * to its own thread but for {@link #onEvent}.
 */
final class EventLog implements EventListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EventLog.class);
    private static final long PERIOD_SECONDS = 10;

    private final MeterRegistry meters;
    private final Consumer<Map<String, Long>> status;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "event-log");
        thread.setDaemon(true);
        return thread;
    });
    private Map<String, Long> told = Map.of();

    /**
     * @param status takes the totals by kind, those that are not zero, whenever they have changed
     */
    @SuppressWarnings("FutureReturnValueIgnored") // runs until the timer is shut down
    EventLog(MeterRegistry meters, Consumer<Map<String, Long>> status) {
        this.meters = meters;
        this.status = status;
        timer.scheduleWithFixedDelay(this::tell, PERIOD_SECONDS, PERIOD_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public boolean isListening(Class<? extends BrokerEvent> kind) {
        return LOG.isTraceEnabled();
    }

    @Override
    public void onEvent(BrokerEvent event) {
        LOG.trace("event {}", event);
    }

    /** Logs what has been added since the last time. */
    private void tell() {
        Map<String, Long> wrong = EventKind.totals(Level.WARN, meters);
        Map<String, Long> refused = EventKind.totals(Level.INFO, meters);
        Map<String, Long> totals = new TreeMap<>(wrong);
        totals.putAll(refused);
        if (totals.equals(told)) {
            return;
        }
        log(Level.WARN, wrong);
        log(Level.INFO, refused);
        told = totals;
        status.accept(totals);
    }

    private void log(Level level, Map<String, Long> totals) {
        totals.forEach((kind, total) -> {
            long more = total - told.getOrDefault(kind, 0L);
            if (more > 0) {
                LOG.atLevel(level).log("events kind={} count={} total={}", kind, more, total);
            }
        });
    }

    /** Tells what is left and ends; waits for both. */
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
