package io.godwit.broker.watch.tap;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.watch.question.EventQuestion;
import io.godwit.broker.watch.question.WatchEntry;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.message.Qos;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EventTapTest {
    private static final ClientInfo WREN = client("birds", "wren");
    private static final ClientInfo CARP = client("fish", "carp");

    private final List<BrokerEvent> log = new ArrayList<>();
    private final EventTap tap = new EventTap(
            new EventListener() {
                @Override
                public void onEvent(BrokerEvent event) {
                    log.add(event);
                }

                @Override
                public boolean isListening(Class<? extends BrokerEvent> kind) {
                    return kind == BrokerEvent.MemberLeft.class;
                }
            },
            () -> 42);

    private static ClientInfo client(String tenant, String id) {
        return new ClientInfo(new TenantId(tenant), new ClientId(id), null, "192.0.2.7:4000", 5);
    }

    private WatchQueue watch(EventQuestion question) {
        WatchQueue queue = new WatchQueue(() -> 0);
        tap.watch(question, queue);
        return queue;
    }

    private void raise(BrokerEvent event) {
        if (tap.isListening(event.getClass())) {
            tap.onEvent(event);
        }
    }

    private void raiseAll() {
        raise(new BrokerEvent.ClientConnected(WREN, true));
        raise(new BrokerEvent.ClientConnected(CARP, false));
        raise(new BrokerEvent.ClientDisconnected(WREN, DisconnectCause.CLIENT, "gone"));
        raise(new BrokerEvent.MemberLeft("b", 7));
    }

    private static List<String> types(WatchQueue queue) {
        List<String> types = new ArrayList<>();
        for (WatchEntry entry = queue.poll(); entry != null; entry = queue.poll()) {
            assertThat(entry.atMillis()).isEqualTo(42);
            types.add(entry.type());
        }
        return types;
    }

    @Test
    void whileNobodyWatchesOnlyTheLogIsTold() {
        assertThat(tap.isListening(BrokerEvent.ClientConnected.class)).isFalse();
        raiseAll();
        assertThat(log).hasSize(1);
    }

    @Test
    void aWatcherIsToldOfAllAndTheLogOfWhatItWants() {
        WatchQueue all = watch(new EventQuestion(Set.of(), Optional.empty(), Optional.empty()));
        raiseAll();
        assertThat(types(all))
                .containsExactly("client-connected", "client-connected", "client-disconnected", "member-left");
        assertThat(log).hasSize(1);
        tap.unwatch(all);
        assertThat(tap.isListening(BrokerEvent.ClientConnected.class)).isFalse();
        raiseAll();
        assertThat(types(all)).isEmpty();
    }

    /** A tenant sees no events of other tenants and of the cluster. */
    @Test
    void theFilterHolds() {
        WatchQueue birds = watch(new EventQuestion(Set.of(), Optional.empty(), Optional.of("birds")));
        WatchQueue carp = watch(new EventQuestion(Set.of(), Optional.of("carp"), Optional.empty()));
        WatchQueue left = watch(new EventQuestion(Set.of("member-left"), Optional.empty(), Optional.empty()));
        WatchQueue none = watch(new EventQuestion(Set.of(), Optional.of("carp"), Optional.of("birds")));
        raiseAll();
        assertThat(types(birds)).containsExactly("client-connected", "client-disconnected");
        assertThat(types(carp)).containsExactly("client-connected");
        assertThat(types(left)).containsExactly("member-left");
        assertThat(types(none)).isEmpty();
    }

    @Test
    void onlyWatchedKindsAreMade() {
        watch(new EventQuestion(Set.of("client-connected"), Optional.empty(), Optional.empty()));
        assertThat(tap.isListening(BrokerEvent.ClientConnected.class)).isTrue();
        assertThat(tap.isListening(BrokerEvent.MessageDropped.class)).isFalse();
    }

    /** All other events would be lost among them. */
    @Test
    void eventsOfEachMessageComeToWhoNamesThem() {
        WatchQueue all = watch(new EventQuestion(Set.of(), Optional.empty(), Optional.empty()));
        WatchQueue named = watch(new EventQuestion(Set.of("publish-received"), Optional.empty(), Optional.empty()));

        raise(new BrokerEvent.PublishReceived(WREN, "t", Qos.AT_LEAST_ONCE, false, 3));
        raise(new BrokerEvent.ClientDisconnected(WREN, DisconnectCause.CLIENT, "gone"));

        assertThat(types(all)).containsExactly("client-disconnected");
        assertThat(types(named)).containsExactly("publish-received");
    }
}
