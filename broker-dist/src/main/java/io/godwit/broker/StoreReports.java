package io.godwit.broker;

import io.godwit.kv.store.StoreHealth;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the status file how the stores are, and the log when one stops or starts to serve while the broker serves. */
final class StoreReports {
    private static final Logger LOG = LoggerFactory.getLogger(StoreReports.class);

    private final StatusFile status;
    private final BooleanSupplier serves;
    /** The last reported state of each store. Only the reporting thread uses it, and one reports at a time. */
    private final Map<String, StoreHealth> told = new ConcurrentHashMap<>();

    /** @param serves whether the broker serves clients; until then the log does not need the states */
    StoreReports(StatusFile status, BooleanSupplier serves) {
        this.status = status;
        this.serves = serves;
    }

    void report(Map<String, StoreHealth> health) {
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
            status.store(name, text);
        });
    }
}
