package io.godwit.mqtt.transport.memory;

import io.godwit.mqtt.transport.config.MemoryConfig;
import io.godwit.mqtt.transport.report.MqttReports;
import io.godwit.plugin.event.MemoryKind;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks the memory periodically and reports when it becomes short and when no longer, so that new work is refused
 * before the process runs out of memory. Confined to its own thread.
 *
 * <p>The heap in use after a collection counts, since garbage is no shortage. But a heap with a nearly full old
 * generation is short, whatever fills it: more than half way from the threshold to the limit, the collector is about to
 * fail.
 *
 * <p>The counted value changes only with a collection, and in a broker that refuses everything there may be none. So
 * when the heap is short and there was no collection for a while, the guard triggers one; each further one after twice
 * the time.
 */
public final class MemoryGuard implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryGuard.class);
    private static final long FIRST_PATIENCE_MILLIS = 10_000;
    private static final long LAST_PATIENCE_MILLIS = 320_000;

    /** Volatile: replaced while the guard runs. */
    private volatile MemoryConfig config;

    private final MemoryGauge gauge;
    private final MqttReports reports;
    private final Consumer<Boolean> onChange;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread made = new Thread(task, "memory-guard");
        made.setDaemon(true);
        return made;
    });

    private final Set<MemoryKind> scarce = EnumSet.noneOf(MemoryKind.class);
    private long collections;
    private long quietMillis;
    private long patienceMillis = FIRST_PATIENCE_MILLIS;

    /** @param onChange gets true when memory becomes short, false when no kind is short any more */
    public MemoryGuard(MemoryConfig config, MemoryGauge gauge, MqttReports reports, Consumer<Boolean> onChange) {
        this.config = config;
        this.gauge = gauge;
        this.reports = reports;
        this.onChange = onChange;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // runs until the thread is shut down
    public void start() {
        long interval = config.interval().toMillis();
        thread.scheduleWithFixedDelay(this::guardedLook, interval, interval, TimeUnit.MILLISECONDS);
    }

    /** Takes effect with the next check; the interval stays the same. Any thread. */
    public void reconfigure(MemoryConfig next) {
        config = next;
    }

    private void guardedLook() {
        try {
            look();
        } catch (RuntimeException | Error e) { // outermost frame: the next check must come
            LOG.error("check of memory failed", e);
        }
    }

    /** Checks once. */
    void look() {
        boolean wasShort = !scarce.isEmpty();
        MemoryConfig limits = config;
        int heapLimit = limits.maxHeapPercent();
        if (heapLimit == 0) {
            judge(MemoryKind.HEAP, false, true, 0);
        } else {
            double heap = gauge.heapPercent();
            double old = gauge.oldHeapPercent();
            int oldLimit = (heapLimit + 100) / 2;
            judge(
                    MemoryKind.HEAP,
                    heap >= heapLimit || old >= oldLimit,
                    heap < heapLimit - MemoryConfig.HYSTERESIS_PERCENT && old < heapLimit,
                    Math.max(heap, old >= oldLimit ? old : 0));
        }
        int directLimit = limits.maxDirectPercent();
        if (directLimit == 0) {
            judge(MemoryKind.DIRECT, false, true, 0);
        } else {
            double direct = gauge.directPercent();
            judge(
                    MemoryKind.DIRECT,
                    direct >= directLimit,
                    direct < directLimit - MemoryConfig.HYSTERESIS_PERCENT,
                    direct);
        }
        if (wasShort == scarce.isEmpty()) {
            onChange.accept(!wasShort);
        }
        collectWhenQuiet();
    }

    private void judge(MemoryKind kind, boolean isShort, boolean isEnough, double percent) {
        if (isShort && scarce.add(kind)) {
            LOG.warn("memory is short, new work is refused kind={} percent={}", kind, (int) percent);
            reports.memoryShort(kind, (int) percent);
        } else if (isEnough && scarce.remove(kind)) {
            LOG.info("memory is no longer short kind={} percent={}", kind, (int) percent);
            reports.memoryRecovered(kind, (int) percent);
        }
    }

    private void collectWhenQuiet() {
        long now = gauge.collections();
        boolean isShort = scarce.contains(MemoryKind.HEAP);
        if (!isShort) {
            patienceMillis = FIRST_PATIENCE_MILLIS;
        }
        if (!isShort || now != collections) {
            collections = now;
            quietMillis = 0;
            return;
        }
        quietMillis += config.interval().toMillis();
        if (quietMillis >= patienceMillis) {
            quietMillis = 0;
            patienceMillis = Math.min(LAST_PATIENCE_MILLIS, 2 * patienceMillis);
            gauge.collect();
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
