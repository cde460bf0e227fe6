package io.godwit.broker.report;

import io.godwit.kv.store.StoreHealth;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.event.StoreFault;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the status file how the stores are, and the log when one stops or starts to serve while the broker serves.
 * Counts these changes, and raises events for them, from the start on.
 */
public final class StoreReports {
    private static final Logger LOG = LoggerFactory.getLogger(StoreReports.class);

    private final StatusFile status;
    private final BooleanSupplier serves;
    private final EventListener events;
    private final Counter degraded;
    private final Counter recovered;
    /** The last reported state of each store. Concurrent: different threads report, though one at a time. */
    private final Map<String, StoreHealth> told = new ConcurrentHashMap<>();
    /** The stores that an event reported as degraded, and why. Used like {@link #told}. */
    private final Map<String, StoreFault> faults = new ConcurrentHashMap<>();

    /** @param serves whether the broker serves clients; until then the log does not need the states */
    public StoreReports(StatusFile status, BooleanSupplier serves, EventListener events, MeterRegistry meters) {
        this.status = status;
        this.serves = serves;
        this.events = events;
        this.degraded = Counter.builder("godwit.kv.stores.degraded")
                .description("times that a store of this node did not fully serve, or for another reason than before")
                .register(meters);
        this.recovered = Counter.builder("godwit.kv.stores.recovered")
                .description("times that a store of this node served fully again")
                .register(meters);
    }

    public void report(Map<String, StoreHealth> health) {
        health.forEach((name, store) -> {
            String text = (store.state() + " " + store.detail()).strip();
            StoreHealth before = told.put(name, store);
            if (serves.getAsBoolean() && before != null && before.state() != store.state()) {
                if (store.state() == StoreHealth.State.SERVING) {
                    LOG.info("store serves again store={}", name);
                } else {
                    LOG.warn("store does not fully serve store={} state={}", name, text);
                }
            }
            raise(name, store);
            status.store(name, text);
        });
    }

    private void raise(String name, StoreHealth store) {
        Optional<StoreFault> now = faultOf(store.state());
        if (now.isPresent()) {
            if (faults.put(name, now.get()) != now.get()) {
                degraded.increment();
                if (events.isListening(BrokerEvent.StoreDegraded.class)) {
                    events.onEvent(new BrokerEvent.StoreDegraded(name, now.get(), store.detail()));
                }
            }
        } else if (faults.remove(name) != null) {
            recovered.increment();
            if (events.isListening(BrokerEvent.StoreRecovered.class)) {
                events.onEvent(new BrokerEvent.StoreRecovered(name));
            }
        }
    }

    private static Optional<StoreFault> faultOf(StoreHealth.State state) {
        return switch (state) {
            case SERVING, STARTING -> Optional.empty();
            case READ_ONLY -> Optional.of(StoreFault.READ_ONLY);
            case NO_QUORUM -> Optional.of(StoreFault.NO_QUORUM);
            case FAILED -> Optional.of(StoreFault.FAILED);
        };
    }
}
