package io.godwit.mqtt;

import io.godwit.mqtt.client.ConnectedClients;
import io.godwit.mqtt.transport.loop.LoopContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies changed tenant settings to connected clients: one sweep over all clients for all changes of the last second,
 * one sweep at a time. A client that is still connecting reads the settings itself once it has its session.
 */
final class TenantSweeps {
    private static final Logger LOG = LoggerFactory.getLogger(TenantSweeps.class);

    private final ConnectedClients clients;
    /** Owns the fields below. */
    private final LoopContext loop;

    private boolean isDue;
    private boolean isUnderWay;

    TenantSweeps(ConnectedClients clients, LoopContext loop) {
        this.clients = clients;
        this.loop = loop;
    }

    /** Any thread; returns at once. */
    void changed() {
        loop.execute(this::look);
    }

    private void look() {
        if (!isDue) {
            isDue = true;
            loop.onNextSweep(this::begin);
        }
    }

    private void begin() {
        if (isUnderWay) {
            loop.onNextSweep(this::begin);
            return;
        }
        isDue = false;
        isUnderWay = true;
        clients.retuneAll().whenComplete((count, failure) -> loop.execute(() -> ended(failure)));
    }

    private void ended(@Nullable Throwable failure) {
        isUnderWay = false;
        if (failure != null) {
            LOG.error("changed settings of tenants could not be applied to their clients", failure);
        }
    }
}
