package io.godwit.kv.store;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Reports the health of the stores to listeners, in the order in which it was read. Several threads may see a change at
 * once. Each reads without a lock, because stores are asked under their own locks. A thread that is overtaken before it
 * reports has nothing to report: the later reader has seen at least the same.
 */
public final class HealthReports {
    private final Supplier<Map<String, StoreHealth>> health;
    private final List<Consumer<Map<String, StoreHealth>>> listeners = new CopyOnWriteArrayList<>();
    private final AtomicLong looks = new AtomicLong();
    private final Object telling = new Object();
    /** Number of the newest read that was reported; guarded by {@code telling}. */
    private long told;
    /** Guarded by {@code telling}. */
    private Map<String, StoreHealth> last = Map.of();

    /** @param health reads the present health of the stores; called from any thread, several at a time */
    public HealthReports(Supplier<Map<String, StoreHealth>> health) {
        this.health = health;
    }

    /** Adds {@code listener}, which is called one call at a time. It must not block. */
    public void addListener(Consumer<Map<String, StoreHealth>> listener) {
        listeners.add(listener);
    }

    /**
     * Reads the health and reports it, unless a later read was reported already. When this returns, the listeners know
     * the present health.
     */
    public void tell() {
        long look = looks.incrementAndGet();
        Map<String, StoreHealth> now = health.get();
        synchronized (telling) {
            if (look > told) {
                told = look;
                last = now;
                listeners.forEach(listener -> listener.accept(now));
            }
        }
    }

    /** Reads the health, and reports it if it differs from the last report. */
    public void tellChange() {
        Map<String, StoreHealth> now = health.get();
        synchronized (telling) {
            if (now.equals(last)) {
                return;
            }
        }
        tell();
    }
}
