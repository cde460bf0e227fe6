package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.quota.Holdings;
import io.godwit.mqtt.session.inbound.OperatorIntake.Answer;
import io.godwit.mqtt.tenant.TenantAnswer;
import io.godwit.mqtt.topic.TopicRules;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.PublishRefusalCause;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.tenant.TenantSettings;
import io.godwit.plugin.throttle.TenantResource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What operators publish is held to what its tenant may do, as what clients publish. */
class OperatorIntakeTest {
    private static final TenantId BIRDS = new TenantId("birds");
    private static final ClientInfo API = new ClientInfo(BIRDS, new ClientId("\0api"), null, "", 5);
    private static final MessageProperties UTF8 = new MessageProperties(1, -1, null, null, null, List.of());

    private final TestNode node = new TestNode();

    @AfterEach
    void close() {
        node.close();
    }

    private void say(TenantSetting setting, long value) {
        node.server
                .tenants()
                .replace(Map.of(
                        BIRDS, TenantSettings.builder().set(setting, value).build()));
    }

    private Answer admit(String topic, byte[] payload, Qos qos, boolean retain, MessageProperties properties) {
        return node.server
                .operatorIntake()
                .admit(API, new Message(topic, payload, qos, retain, 1, properties))
                .join();
    }

    private Answer admit(String topic, int bytes, Qos qos, boolean retain) {
        return admit(topic, new byte[bytes], qos, retain, MessageProperties.NONE);
    }

    private static void isRefused(Answer answer, ReasonCode code, TenantSetting by, long most) {
        assertThat(answer).isEqualTo(new Answer.Refused(code, by, most, 0));
    }

    /** At a rate of one a second. */
    private static void isTooFast(Answer answer, TenantSetting rate) {
        assertThat(answer).isInstanceOfSatisfying(Answer.Refused.class, refused -> {
            assertThat(refused.code()).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
            assertThat(refused.by()).isEqualTo(rate);
            assertThat(refused.most()).isOne();
            assertThat(refused.waitNanos()).isBetween(1L, TimeUnit.SECONDS.toNanos(1));
        });
    }

    private static void isAdmitted(Answer answer) {
        assertThat(answer).isInstanceOf(Answer.Admitted.class);
    }

    private List<String> refusals() {
        return node.events.stream()
                .filter(BrokerEvent.PublishRefused.class::isInstance)
                .map(event -> ((BrokerEvent.PublishRefused) event).detail())
                .toList();
    }

    @Test
    void eachSettingOfAPublishHolds() {
        say(TenantSetting.MAX_QOS, 1);
        isAdmitted(admit("a", 1, Qos.AT_LEAST_ONCE, true));
        isRefused(admit("a", 1, Qos.EXACTLY_ONCE, false), ReasonCode.QOS_NOT_SUPPORTED, TenantSetting.MAX_QOS, 1);
        say(TenantSetting.RETAIN, 0);
        isAdmitted(admit("a", 1, Qos.EXACTLY_ONCE, false));
        isRefused(admit("a", 1, Qos.AT_MOST_ONCE, true), ReasonCode.RETAIN_NOT_SUPPORTED, TenantSetting.RETAIN, 0);
        say(TenantSetting.MAX_TOPIC_LEVELS, 2);
        isAdmitted(admit("a/b", 1, Qos.AT_MOST_ONCE, false));
        isRefused(
                admit("a/b/c", 1, Qos.AT_MOST_ONCE, false),
                ReasonCode.TOPIC_NAME_INVALID,
                TenantSetting.MAX_TOPIC_LEVELS,
                2);
        say(TenantSetting.MAX_TOPIC_BYTES, 3);
        isRefused(
                admit("abcd", 1, Qos.AT_MOST_ONCE, false),
                ReasonCode.TOPIC_NAME_INVALID,
                TenantSetting.MAX_TOPIC_BYTES,
                3);
        say(TenantSetting.MAX_TOPIC_LEVEL_BYTES, 3);
        isAdmitted(admit("abc/abc", 1, Qos.AT_MOST_ONCE, false));
        isRefused(
                admit("a/abcd", 1, Qos.AT_MOST_ONCE, false),
                ReasonCode.TOPIC_NAME_INVALID,
                TenantSetting.MAX_TOPIC_LEVEL_BYTES,
                3);
        say(TenantSetting.MAX_PAYLOAD_BYTES, 10);
        isAdmitted(admit("a", 10, Qos.AT_MOST_ONCE, false));
        isRefused(
                admit("a", 11, Qos.AT_MOST_ONCE, false),
                ReasonCode.QUOTA_EXCEEDED,
                TenantSetting.MAX_PAYLOAD_BYTES,
                10);
        say(TenantSetting.CHECK_PAYLOAD_FORMAT, 1);
        isRefused(
                admit("a", new byte[] {(byte) 0xFF}, Qos.AT_MOST_ONCE, false, UTF8),
                ReasonCode.PAYLOAD_FORMAT_INVALID,
                TenantSetting.CHECK_PAYLOAD_FORMAT,
                1);
        assertThat(refusals())
                .containsExactly(
                        "QOS_NOT_SUPPORTED",
                        "RETAIN_NOT_SUPPORTED",
                        "TOPIC_NAME_INVALID",
                        "TOPIC_NAME_INVALID",
                        "TOPIC_NAME_INVALID",
                        "QUOTA_EXCEEDED",
                        "PAYLOAD_FORMAT_INVALID");
        assertThat(node.count("godwit.mqtt.publishes.refused")).isEqualTo(7);
    }

    @Test
    void whatIsFasterThanTheTenantMayIsRefused() {
        say(TenantSetting.MAX_TENANT_PUBLISH_RATE, 1);
        List<Answer> answers = List.of(
                admit("a", 1, Qos.AT_MOST_ONCE, false),
                admit("a", 1, Qos.AT_MOST_ONCE, false),
                admit("a", 1, Qos.AT_MOST_ONCE, false));
        isAdmitted(answers.get(0));
        assertThat(answers).anySatisfy(answer -> isTooFast(answer, TenantSetting.MAX_TENANT_PUBLISH_RATE));
        assertThat(node.events)
                .anyMatch(event -> event instanceof BrokerEvent.TenantLimitReached reached
                        && reached.resource() == TenantResource.PUBLISH_RATE
                        && reached.client().equals(API));
        say(TenantSetting.MAX_PUBLISH_RATE, 1);
        assertThat(List.of(
                        admit("a", 1, Qos.AT_MOST_ONCE, false),
                        admit("a", 1, Qos.AT_MOST_ONCE, false),
                        admit("a", 1, Qos.AT_MOST_ONCE, false)))
                .anySatisfy(answer -> isTooFast(answer, TenantSetting.MAX_PUBLISH_RATE));
        assertThat(node.events)
                .anyMatch(event -> event instanceof BrokerEvent.PublishRefused refused
                        && refused.cause() == PublishRefusalCause.RATE_LIMIT);
    }

    @Test
    void aRetainedOneCountsUntilItIsStored() {
        AtomicLong stored = new AtomicLong();
        node.server.tenants().accounts().holdings(new Holdings() {
            @Override
            public long retainedMessages(TenantId tenant) {
                return stored.get();
            }
        });
        say(TenantSetting.MAX_RETAINED_MESSAGES, 1);
        Answer first = admit("a", 1, Qos.AT_MOST_ONCE, true);
        isAdmitted(first);
        isRefused(
                admit("b", 1, Qos.AT_MOST_ONCE, true),
                ReasonCode.QUOTA_EXCEEDED,
                TenantSetting.MAX_RETAINED_MESSAGES,
                1);
        isAdmitted(admit("a", 0, Qos.AT_MOST_ONCE, true)); // it clears
        ((Answer.Admitted) first).retained().run();
        isAdmitted(admit("b", 1, Qos.AT_MOST_ONCE, true));
        assertThat(node.events)
                .anyMatch(event -> event instanceof BrokerEvent.TenantLimitReached reached
                        && reached.resource() == TenantResource.RETAINED_MESSAGES);
    }

    @Test
    void aDelayedOneNeedsRoom() {
        AtomicLong stored = new AtomicLong(1);
        try (TestNode delaying = new TestNode(new TopicRules(List.of(), List.of(), false, 60, false))) {
            delaying.server.tenants().accounts().holdings(new Holdings() {
                @Override
                public long delayedMessages(TenantId tenant) {
                    return stored.get();
                }
            });
            delaying.server
                    .tenants()
                    .replace(Map.of(
                            BIRDS,
                            TenantSettings.builder()
                                    .set(TenantSetting.MAX_DELAYED_MESSAGES, 1)
                                    .build()));
            Message message =
                    new Message("$delayed/9/a", new byte[1], Qos.AT_LEAST_ONCE, false, 1, MessageProperties.NONE);
            isRefused(
                    delaying.server.operatorIntake().admit(API, message).join(),
                    ReasonCode.QUOTA_EXCEEDED,
                    TenantSetting.MAX_DELAYED_MESSAGES,
                    1);
            assertThat(delaying.events)
                    .contains(new BrokerEvent.TenantLimitReached(API, TenantResource.DELAYED_MESSAGES, 1));
            stored.set(0);
            isAdmitted(delaying.server.operatorIntake().admit(API, message).join());
        }
    }

    @Test
    void aTenantOfWhichNothingIsSaidHasWhatTheNodeHas() {
        isAdmitted(admit("a", 100_000, Qos.EXACTLY_ONCE, true));
        isRefused(
                admit("a/".repeat(1_000), 1, Qos.AT_MOST_ONCE, false),
                ReasonCode.TOPIC_NAME_INVALID,
                TenantSetting.MAX_TOPIC_LEVELS,
                1_000);
    }

    @Test
    void whoeverSaysWhatTenantsMayIsAskedFirst() {
        CompletableFuture<TenantAnswer> known = new CompletableFuture<>();
        node.server.tenants().ask(tenant -> known);
        CompletableFuture<Answer> answer = node.server
                .operatorIntake()
                .admit(API, new Message("a", new byte[0], Qos.AT_MOST_ONCE, false, 1, MessageProperties.NONE));
        assertThat(answer).isNotDone();
        known.complete(TenantAnswer.NO_TENANT);
        assertThat(answer).isCompletedWithValue(new Answer.NoTenant(TenantAnswer.NO_TENANT));
    }
}
