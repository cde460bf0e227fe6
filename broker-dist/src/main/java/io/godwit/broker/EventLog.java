package io.godwit.broker;

import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.event.EventListener;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes what was discarded or refused visible: totals for {@code status}, and one line in the log per kind and period in which it
 * happened, since clients can cause events at will. Called on any thread; the totals are adders, the rest is confined to its own thread.
 */
final class EventLog implements EventListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EventLog.class);
    private static final long PERIOD_SECONDS = 10;

    private final LongAdder[] dropped = adders(DropReason.values().length);
    private final LongAdder refused = new LongAdder();
    private final LongAdder delayedReplays = new LongAdder();
    private final LongAdder violations = new LongAdder();
    private final LongAdder refusedConnections = new LongAdder();
    private final LongAdder rejectedCertificates = new LongAdder();
    private final LongAdder deniedConnects = new LongAdder();
    private final LongAdder deniedPublishes = new LongAdder();
    private final LongAdder deniedSubscribes = new LongAdder();
    private final LongAdder authFailures = new LongAdder();
    private final LongAdder rejectedAuthFiles = new LongAdder();
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
    EventLog(Consumer<Map<String, Long>> status) {
        this.status = status;
        timer.scheduleWithFixedDelay(this::tell, PERIOD_SECONDS, PERIOD_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void onEvent(BrokerEvent event) {
        if (event instanceof BrokerEvent.MessageDropped drop) {
            dropped[drop.reason().ordinal()].increment();
        } else if (event instanceof BrokerEvent.PublishRefused) {
            refused.increment();
        } else if (event instanceof BrokerEvent.ReplayDelayed) {
            delayedReplays.increment();
        } else if (event instanceof BrokerEvent.ProtocolViolated) {
            violations.increment();
        } else if (event instanceof BrokerEvent.ConnectionRefused) {
            refusedConnections.increment();
        } else if (event instanceof BrokerEvent.CertificatesRejected) {
            rejectedCertificates.increment();
        } else if (event instanceof BrokerEvent.ConnectDenied) {
            deniedConnects.increment();
        } else if (event instanceof BrokerEvent.PublishDenied) {
            deniedPublishes.increment();
        } else if (event instanceof BrokerEvent.SubscribeDenied) {
            deniedSubscribes.increment();
        } else if (event instanceof BrokerEvent.AuthFailed) {
            authFailures.increment();
        } else if (event instanceof BrokerEvent.AuthFileRejected) {
            rejectedAuthFiles.increment();
        } else {
            LOG.trace("event {}", event);
        }
    }

    /** Totals since the start, by kind; those that are not zero. */
    Map<String, Long> totals() {
        Map<String, Long> totals = new TreeMap<>();
        for (DropReason reason : DropReason.values()) {
            put(totals, "dropped." + Setting.nameOf(reason), dropped[reason.ordinal()]);
        }
        put(totals, "publishes-refused", refused);
        put(totals, "replays-delayed", delayedReplays);
        put(totals, "protocol-violations", violations);
        put(totals, "connections-refused", refusedConnections);
        put(totals, "certificates-rejected", rejectedCertificates);
        put(totals, "connects-denied", deniedConnects);
        put(totals, "publishes-denied", deniedPublishes);
        put(totals, "subscribes-denied", deniedSubscribes);
        put(totals, "auth-failures", authFailures);
        put(totals, "auth-files-rejected", rejectedAuthFiles);
        return totals;
    }

    /** Logs what has been added since the last time. */
    private void tell() {
        Map<String, Long> totals = totals();
        if (totals.equals(told)) {
            return;
        }
        totals.forEach((kind, total) -> {
            long more = total - told.getOrDefault(kind, 0L);
            if (more > 0) {
                LOG.warn("events kind={} count={} total={}", kind, more, total);
            }
        });
        told = totals;
        status.accept(totals);
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

    private static void put(Map<String, Long> totals, String kind, LongAdder adder) {
        long total = adder.sum();
        if (total > 0) {
            totals.put(kind, total);
        }
    }

    private static LongAdder[] adders(int count) {
        LongAdder[] adders = new LongAdder[count];
        for (int i = 0; i < count; i++) {
            adders[i] = new LongAdder();
        }
        return adders;
    }
}
