package io.godwit.broker.watch.tap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.broker.watch.question.TraceQuestion;
import io.godwit.broker.watch.question.WatchEntry;
import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.Match;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.trace.Tracing;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TraceTapTest {
    private static final ClientInfo WREN = client("birds", "wren", "192.0.2.7:4000");
    private static final ClientInfo OWL = client("birds", "owl", "[2001:db8::1]:4000");
    private static final ClientInfo CARP = client("fish", "wren", "192.0.2.9:4000");

    private final Tracing tracing = new Tracing();
    private final TraceTap tap = new TraceTap(tracing, () -> 42);

    private static ClientInfo client(String tenant, String id, String address) {
        return new ClientInfo(new TenantId(tenant), new ClientId(id), null, address, 5);
    }

    private static Message message(String topic) {
        return new Message(topic, new byte[7], Qos.EXACTLY_ONCE, true, 0, MessageProperties.NONE);
    }

    private WatchQueue trace(
            @Nullable String clientId, @Nullable String filter, @Nullable String address, @Nullable String tenant) {
        AtomicLong nanos = new AtomicLong();
        WatchQueue queue = new WatchQueue(nanos::get);
        tap.watch(question(clientId, filter, address, tenant), queue);
        return queue;
    }

    private static TraceQuestion question(
            @Nullable String clientId, @Nullable String filter, @Nullable String address, @Nullable String tenant) {
        return new TraceQuestion(
                Optional.ofNullable(clientId),
                Optional.ofNullable(filter).map(text -> TopicFilter.parse(text).orElseThrow()),
                Optional.ofNullable(address),
                Optional.ofNullable(tenant));
    }

    private static List<WatchEntry> all(WatchQueue queue) {
        List<WatchEntry> entries = new ArrayList<>();
        for (WatchEntry entry = queue.poll(); entry != null; entry = queue.poll()) {
            entries.add(entry);
        }
        return entries;
    }

    private static List<String> types(WatchQueue queue) {
        return all(queue).stream().map(WatchEntry::type).toList();
    }

    private static Match match(String id) {
        return new Match(new InboxReceiver(WREN.tenant(), new ClientId(id), 1), Qos.AT_LEAST_ONCE, false, Match.NO_IDS);
    }

    @Test
    void nothingIsFollowedBeforeAndAfter() {
        assertThat(tracing.active()).isNull();
        WatchQueue one = trace("wren", null, null, null);
        WatchQueue two = trace("owl", null, null, null);
        tap.unwatch(one);
        assertThat(tracing.active()).isSameAs(tap);
        tap.unwatch(two);
        assertThat(tracing.active()).isNull();
    }

    @Test
    void aMessageIsToldWithItsSizeOnly() {
        WatchQueue queue = trace(null, "a/+", null, null);
        tap.published(WREN, message("a/b"), 9);
        assertThat(all(queue))
                .singleElement()
                .satisfies(entry -> assertThat(entry.details())
                        .containsEntry("topic", "a/b")
                        .containsEntry("payloadBytes", 7L)
                        .containsEntry("qos", 2L)
                        .containsEntry("retain", true)
                        .containsEntry("packetId", 9L)
                        .doesNotContainKey("payload"));
    }

    @Test
    void aClientIsFollowedAsPublisherAndAsReceiver() {
        WatchQueue queue = trace("wren", null, null, "birds");
        tap.published(WREN, message("a"), 1);
        tap.published(OWL, message("a"), 1);
        tap.published(CARP, message("a"), 1); // another tenant's
        Delivery toBoth = new Delivery(OWL, message("a"), List.of(match("wren"), match("jay")), null);
        Delivery ofWren = new Delivery(WREN, message("a"), List.of(match("jay")), null);
        tap.storing(toBoth);
        tap.storing(ofWren);
        tap.stored(toBoth, List.of(InsertOutcome.DROPPED, InsertOutcome.STORED));
        assertThat(all(queue))
                .extracting(entry -> entry.type() + " " + entry.details().get("clientId") + " "
                        + entry.details().get("outcome"))
                .containsExactly("published wren null", "matched wren null", "matched jay null", "stored wren dropped");
    }

    /** An acknowledgement contains no topic. */
    @Test
    void acknowledgementsFollowTheirTopic() {
        WatchQueue topic = trace(null, "a/#", null, null);
        WatchQueue client = trace("owl", null, null, null);
        tap.sent(WREN, message("a/b"), Qos.AT_LEAST_ONCE, 1, false);
        tap.sent(WREN, message("b"), Qos.AT_LEAST_ONCE, 2, false);
        tap.sent(OWL, message("b"), Qos.AT_LEAST_ONCE, 1, true);
        tap.acknowledged(WREN, 1, ReasonCode.SUCCESS);
        tap.acknowledged(WREN, 1, ReasonCode.SUCCESS); // for a later message, which was not traced
        tap.acknowledged(WREN, 2, ReasonCode.SUCCESS);
        tap.acknowledged(OWL, 1, ReasonCode.QUOTA_EXCEEDED);
        assertThat(types(topic)).containsExactly("sent", "acknowledged");
        assertThat(all(client))
                .extracting(entry -> entry.type() + " " + entry.details().get("topic") + " "
                        + entry.details().get("outcome"))
                .containsExactly("sent-again b null", "acknowledged b quota-exceeded");
    }

    @Test
    void whatWasSentAndNeverAcknowledgedIsBounded() {
        WatchQueue queue = trace("wren", "a", null, null);
        for (int client = 0; client < 3; client++) {
            ClientInfo silent = client("t" + client, "wren", "192.0.2.7:4000");
            for (int id = 1; id <= 5_000; id++) {
                tap.sent(silent, message("a"), Qos.AT_LEAST_ONCE, id, false);
            }
        }
        all(queue);
        assertThat(queue.takeLost()).isEqualTo(3 * 5_000 - WatchQueue.ENTRIES_PER_SECOND);
        assertThat(tap.remembered()).isEqualTo(SentTopics.MAX);
        tap.unwatch(queue);
        assertThat(tap.remembered()).isZero();
    }

    @Test
    void anAddressIsThatWithoutItsPort() {
        WatchQueue queue = trace(null, null, "[2001:db8::1]", null);
        tap.published(WREN, message("a"), 1);
        tap.published(OWL, message("a"), 1);
        assertThat(all(queue))
                .singleElement()
                .satisfies(entry -> assertThat(entry.details()).containsEntry("clientId", "owl"));
    }

    @Test
    void subscriptionsToSomeOfTheTopicsAreToldOf() {
        WatchQueue queue = trace(null, "a/+/c", null, null);
        for (String filter : List.of("a/b/c", "a/#", "#", "+/b/c", "a/+/c", "$share/g/a/+/c", "a/b", "b/#")) {
            tap.subscribed(WREN, TopicFilter.parse(filter).orElseThrow(), ReasonCode.GRANTED_QOS_1);
        }
        tap.unsubscribed(OWL, TopicFilter.parse("a/#").orElseThrow(), ReasonCode.SUCCESS);
        assertThat(all(queue))
                .extracting(entry -> entry.details().get("filter"))
                .contains("a/b/c", "a/#", "#", "a/+/c", "$share/g/a/+/c")
                .doesNotContain("a/b", "b/#");
    }

    @Test
    void liveDeliveriesAreToldAndHandedOn() {
        List<Delivery> handedOn = new ArrayList<>();
        Deliverer live = tap.live(delivery -> {
            handedOn.add(delivery);
            return Deliverer.DELIVERED;
        });
        Delivery delivery = new Delivery(WREN, message("a"), List.of(match("owl")), null);
        assertThat(live.deliver(delivery)).isCompletedWithValue(DistOutcome.DELIVERED);
        WatchQueue queue = trace(null, "a", null, null);
        live.deliver(delivery);
        assertThat(types(queue)).containsExactly("matched");
        assertThat(handedOn).hasSize(2);
    }

    @Test
    void somethingIsFollowed() {
        assertThatThrownBy(() -> question(null, null, null, "birds")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> question(null, "$share/g/a", null, null)).isInstanceOf(IllegalArgumentException.class);
    }

    /** Clients choose the length of topics, and may never acknowledge. */
    @Test
    void longTopicsOfWhatWasSentAreNotAllRemembered() {
        WatchQueue queue = trace("owl", null, null, null);
        int length = 60_000;
        int room = (int) (SentTopics.MAX_CHARS / length);
        for (int i = 1; i <= 2 * room; i++) {
            tap.sent(OWL, message("x".repeat(length)), Qos.AT_LEAST_ONCE, i, false);
        }
        assertThat(tap.remembered()).isEqualTo(room);
        tap.sent(OWL, message("y".repeat(length)), Qos.AT_LEAST_ONCE, 1, true);
        tap.acknowledged(OWL, 1, ReasonCode.SUCCESS);
        tap.sent(OWL, message("z".repeat(length)), Qos.AT_LEAST_ONCE, 3 * room, false);
        assertThat(tap.remembered()).isEqualTo(room);
        tap.unwatch(queue);
        assertThat(tap.remembered()).isZero();
        trace("owl", null, null, null);
        tap.sent(OWL, message("a"), Qos.AT_LEAST_ONCE, 1, false);
        assertThat(tap.remembered()).isEqualTo(1);
    }
}
