package io.godwit.broker.watch.question;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.contract.Contract;
import io.godwit.api.contract.Operation;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DisconnectCause;
import io.vertx.core.json.JsonObject;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every event can be described in the form of the API's document. */
class EventWordsTest {
    private static final Operation EVENTS = Contract.load().operation("streamEvents");
    private static final ClientInfo CLIENT =
            new ClientInfo(new TenantId("birds"), new ClientId("wren"), "user", "192.0.2.7:4000", 5);

    static Stream<Class<?>> events() {
        return Stream.of(BrokerEvent.class.getPermittedSubclasses());
    }

    static BrokerEvent any(Class<?> event) throws Exception {
        RecordComponent[] components = event.getRecordComponents();
        Object[] values = Arrays.stream(components)
                .map(component -> value(component.getType()))
                .toArray();
        Class<?>[] types =
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        return (BrokerEvent) event.getDeclaredConstructor(types).newInstance(values);
    }

    private static Object value(Class<?> type) {
        if (type == ClientInfo.class) {
            return CLIENT;
        } else if (type == TenantId.class) {
            return CLIENT.tenant();
        } else if (type == ClientId.class) {
            return CLIENT.clientId();
        } else if (type == Duration.class) {
            return Duration.ofMillis(1_500);
        } else if (type.isEnum()) {
            return type.getEnumConstants()[0];
        } else if (type == int.class) {
            return 3;
        } else if (type == long.class) {
            return Long.MAX_VALUE;
        } else if (type == boolean.class) {
            return true;
        } else if (type == List.class) {
            return List.of("one", "other");
        }
        return "text";
    }

    @ParameterizedTest
    @MethodSource("events")
    void isToldAsTheDocumentSays(Class<? extends BrokerEvent> event) throws Exception {
        WatchEntry entry = EventWords.of(event).entry(any(event), 7);

        assertThat(EVENTS.eventErrors("event", new JsonObject(entry.told("node-a"))))
                .as("%s", entry)
                .isEmpty();
    }

    @Test
    void whoItIsAboutIsFound() {
        BrokerEvent event = new BrokerEvent.SlowConsumerEnded(CLIENT, 3, Duration.ofSeconds(2));
        EventWords words = EventWords.of(event.getClass());

        assertThat(words.tenant(event)).isEqualTo("birds");
        assertThat(words.clientId(event)).isEqualTo("wren");
        assertThat(words.entry(event, 9).details())
                .containsEntry("droppedMessages", 3L)
                .containsEntry("durationMillis", 2_000L)
                .containsEntry("address", "192.0.2.7:4000");
    }

    @Test
    void aCauseIsOneWordBesideTheTextForPeople() {
        BrokerEvent event = new BrokerEvent.ClientDisconnected(CLIENT, DisconnectCause.TAKEN_OVER, "another one");

        assertThat(EventWords.of(event.getClass()).entry(event, 9).details())
                .containsEntry("cause", "taken-over")
                .containsEntry("detail", "another one");
    }

    @Test
    void aListIsToldAsOneText() {
        BrokerEvent event = new BrokerEvent.RangeReplicasChanged("inbox", 7, 3, List.of("a", "b"), List.of());

        assertThat(EventWords.of(event.getClass()).entry(event, 9).details())
                .containsEntry("rangeId", 7L)
                .containsEntry("voters", "a, b")
                .containsEntry("learners", "");
    }

    @Test
    void whatIsAboutNobodyHasNoTenant() {
        BrokerEvent event = new BrokerEvent.AcknowledgementsResumed();
        BrokerEvent early = new BrokerEvent.PacketAbandoned("192.0.2.7:1", null, 5, 6);

        assertThat(EventWords.of(event.getClass()).tenant(event)).isNull();
        assertThat(EventWords.of(early.getClass()).clientId(early)).isNull();
    }

    /** Clients choose how long their ids and topics are. */
    @Test
    void longTextsAreCutBetweenCharacters() {
        String topic = "x".repeat(WatchEntry.MAX_TEXT - 1) + "\uD83D\uDC26" + "y".repeat(60_000);
        BrokerEvent event = new BrokerEvent.WillPublished(CLIENT.tenant(), CLIENT.clientId(), topic);
        WatchEntry entry = EventWords.of(event.getClass()).entry(event, 9);

        assertThat(entry.details()).containsEntry("topic", "x".repeat(WatchEntry.MAX_TEXT - 1));
        assertThat(entry.bytes()).isLessThan(4_000);
    }
}
