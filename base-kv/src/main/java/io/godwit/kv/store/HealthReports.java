package io.godwit.kv.store;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Tells listeners how the stores are, in the order in which it was looked. Several threads may have seen a change at
 * once; each looks by itself and without a lock, since stores are asked under locks of their own, and whoever is
 * overtaken on the way to the listeners has nothing new to say: the one that looked later has seen what it saw.
 */
public final class HealthReports {
    private final Supplier<Map<String, StoreHealth>> health;
    private final List<Consumer<Map<String, StoreHealth>>> listeners = new CopyOnWriteArrayList<>();
    private final AtomicLong looks = new AtomicLong();
    private final Object telling = new Object();
    /** Number of the newest look that was told; guarded by {@code telling}. */
    private long told;
    /** Guarded by {@code telling}. */
    private Map<String, StoreHealth> last = Map.of();

    /** @param health how the stores are now; called from any thread, several at a time */
    public HealthReports(Supplier<Map<String, StoreHealth>> health) {
        this.health = health;
    }

    /** From now on {@code listener} is told, one call at a time. It must not block. */
    public void addListener(Consumer<Map<String, StoreHealth>> listener) {
        listeners.add(listener);
    }

    /**
     * Looks, and tells the listeners unless somebody who looked later has done so. What is so now, they know when this
     * returns.
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

    /** Looks, and tells the listeners when it is not what they were told last. */
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
