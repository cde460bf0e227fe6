package io.godwit.mqtt;

import io.godwit.mqtt.ban.BanSubject;
import io.godwit.mqtt.ban.BanTable;
import io.godwit.mqtt.client.ClientKey;
import io.godwit.mqtt.client.ConnectedClients;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.transport.loop.LoopContext;
import io.godwit.plugin.client.ClientId;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Disconnects clients that a new ban matches. For a ban of a client id it looks the client up. For other bans it sweeps
 * all clients, once for all bans of the last second, one sweep at a time. A client that is still connecting is not seen
 * here; it checks the bans itself once it has its session.
 */
final class BanSweeps {
    private static final Logger LOG = LoggerFactory.getLogger(BanSweeps.class);

    private final BanTable bans;
    private final ConnectedClients clients;
    /** Owns the fields below. */
    private final LoopContext loop;

    private boolean isDue;
    private boolean isUnderWay;

    BanSweeps(BanTable bans, ConnectedClients clients, LoopContext loop) {
        this.bans = bans;
        this.clients = clients;
        this.loop = loop;
    }

    /** Any thread; returns at once. */
    void banned(BanSubject subject) {
        if (subject instanceof BanSubject.OfClient client) {
            // a DISCONNECT cannot carry 0x8A "banned" [MQTT5-3.14.2-1]
            ClientKey key = new ClientKey(client.tenant(), new ClientId(client.clientId()));
            clients.disconnectIf(key, bans::isBanned, ReasonCode.ADMINISTRATIVE_ACTION)
                    .whenComplete((ended, failure) -> {
                        if (failure != null) {
                            LOG.error("search for a banned client failed client={}", key, failure);
                        }
                    });
        } else {
            loop.execute(this::look);
        }
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
        clients.disconnectAll(bans::isBanned, ReasonCode.ADMINISTRATIVE_ACTION)
                .whenComplete((ended, failure) -> loop.execute(() -> ended(ended, failure)));
    }

    private void ended(@Nullable Integer count, @Nullable Throwable failure) {
        isUnderWay = false;
        if (failure != null) {
            LOG.error("search for banned clients failed", failure);
        } else if (count != null && count > 0) {
            LOG.info("banned clients disconnected clients={}", count);
        }
    }
}
