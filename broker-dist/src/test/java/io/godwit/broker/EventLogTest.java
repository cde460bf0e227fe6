package io.godwit.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.plugin.auth.AuthCheck;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DropReason;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class EventLogTest {
    @Test
    void everyDropIsCountedByItsReasonAndToldAtTheEnd() {
        AtomicReference<Map<String, Long>> told = new AtomicReference<>(Map.of());
        EventLog log = new EventLog(told::set);

        for (DropReason reason : DropReason.values()) {
            log.onEvent(new BrokerEvent.MessageDropped(TenantId.DEFAULT, new ClientId("c"), "t", reason));
        }
        log.onEvent(
                new BrokerEvent.MessageDropped(TenantId.DEFAULT, new ClientId("c"), "t", DropReason.QUEUE_FULL_NEWEST));
        log.onEvent(new BrokerEvent.ProtocolViolated("127.0.0.1:1", "first packet is no CONNECT"));
        ClientInfo client = new ClientInfo(TenantId.DEFAULT, new ClientId("c"), null, "127.0.0.1:1", 5);
        log.onEvent(new BrokerEvent.ReplayDelayed(client, "a/#", "TIMEOUT"));
        log.close();

        assertThat(told.get())
                .hasSize(DropReason.values().length + 2)
                .containsEntry("dropped.queue-full-newest", 2L)
                .containsEntry("dropped.expired", 1L)
                .containsEntry("replays-delayed", 1L)
                .containsEntry("protocol-violations", 1L);
    }

    @Test
    void everyDenialIsCountedByItsKind() {
        AtomicReference<Map<String, Long>> told = new AtomicReference<>(Map.of());
        EventLog log = new EventLog(told::set);
        ClientInfo client = new ClientInfo(TenantId.DEFAULT, new ClientId("c"), "u", "127.0.0.1:1", 5);

        log.onEvent(new BrokerEvent.ConnectDenied(client, RefusalReason.BAD_CREDENTIALS, "wrong password"));
        log.onEvent(new BrokerEvent.PublishDenied(client, "t", false, "line 1"));
        log.onEvent(new BrokerEvent.PublishDenied(client, "t", true, "line 1"));
        log.onEvent(new BrokerEvent.SubscribeDenied(client, "t", "line 1"));
        log.onEvent(new BrokerEvent.AuthFailed(AuthCheck.PUBLISH, client, "no answer"));
        log.onEvent(new BrokerEvent.AuthFileRejected("acl", "line 1"));
        log.onEvent(new BrokerEvent.AuthFileLoaded("acl"));
        log.close();

        assertThat(told.get())
                .containsOnly(
                        Map.entry("connects-denied", 1L),
                        Map.entry("publishes-denied", 2L),
                        Map.entry("subscribes-denied", 1L),
                        Map.entry("auth-failures", 1L),
                        Map.entry("auth-files-rejected", 1L));
    }
}
