package io.godwit.broker.messages;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.port.LimitReachedException;
import io.godwit.api.port.NotAllowedException;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.message.MessagePublisher.Outcome;
import io.godwit.api.port.message.MessagePublisher.Outgoing;
import io.godwit.api.port.message.MessagePublisher.TooFastException;
import io.godwit.api.port.message.MessagePublisher.TooLargeException;
import io.godwit.api.port.message.MessagePublisher.WrongFieldException;
import io.godwit.dist.client.DistOutcome;
import io.godwit.kv.client.RangeException;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.session.inbound.OperatorIntake.Answer;
import io.godwit.mqtt.tenant.TenantAnswer;
import io.godwit.mqtt.topic.TopicLimits;
import io.godwit.mqtt.topic.TopicRules;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.message.UserProperty;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.retain.client.RetainClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Operators' messages take the same path as those of clients; the dist-worker's answers come from the test. */
class OperatorPublisherTest {
    private static final int MAX_BYTES = 1_000;
    /** What one tenant may have under way. */
    private static final int OF_TENANT = OperatorPublisher.MAX_UNDER_WAY / OperatorPublisher.SHARES;

    private static final TopicRules RULES = new TopicRules(List.of(), List.of(), false, 60, true);

    private final List<Message> published = new ArrayList<>();
    private final List<ClientInfo> publishers = new ArrayList<>();
    private CompletableFuture<DistOutcome> answer = CompletableFuture.completedFuture(DistOutcome.DELIVERED);
    private final Store retain = new Store();
    private int retainedTold;
    private CompletableFuture<Answer> admission =
            CompletableFuture.completedFuture(new Answer.Admitted(() -> retainedTold++));
    private final OperatorPublisher publisher = new OperatorPublisher(
            client -> (message, token) -> {
                assertThat(token).isNull();
                publishers.add(client);
                published.add(message);
                return answer;
            },
            retain,
            (client, message) -> admission,
            new TopicLimits(4, 100, 10, 10, 10),
            RULES,
            MAX_BYTES,
            () -> 77);

    /** Records the topics that are set, and gives the test's answers. */
    private static final class Store implements RetainClient {
        final List<String> topics = new ArrayList<>();
        CompletableFuture<Void> answer = CompletableFuture.completedFuture(null);

        @Override
        public CompletableFuture<Void> set(TenantId tenant, Message message) {
            topics.add(message.topic());
            return answer;
        }

        @Override
        public CompletableFuture<Void> setRecorded(
                TenantId tenant, Message message, String origin, long number, long decidedAtMillis) {
            throw new AssertionError("setRecorded");
        }

        @Override
        public void finished(TenantId tenant, String topic, String origin, long number) {
            throw new AssertionError("finished");
        }

        @Override
        public CompletableFuture<Page> match(
                TenantId tenant, TopicFilter filter, @Nullable String cursor, int maxMessages, int maxBytes) {
            throw new AssertionError("match");
        }

        @Override
        public String cursorBehind(TenantId tenant, String topic) {
            throw new AssertionError("cursorBehind");
        }
    }

    private static Outgoing message(String topic, int bytes, boolean retain) {
        return new Outgoing(topic, new byte[bytes], Qos.EXACTLY_ONCE, retain, MessageProperties.NONE);
    }

    private CompletableFuture<Outcome> publish(String topic, int bytes, boolean retain) {
        return publisher.publish("t1", message(topic, bytes, retain));
    }

    @Test
    void aMessageIsDistributedForNoClientAndItsOutcomeTold() {
        assertThat(publish("a", 3, false)).isCompletedWithValue(Outcome.DELIVERED);
        assertThat(published.get(0).topic()).isEqualTo("a");
        assertThat(published.get(0).qos()).isEqualTo(Qos.EXACTLY_ONCE);
        assertThat(published.get(0).receivedAtMillis()).isEqualTo(77);
        assertThat(publishers.get(0).tenant().value()).isEqualTo("t1");
        assertThat(publishers.get(0).clientId().value()).startsWith("\0"); // no client may have it
        answer = CompletableFuture.completedFuture(DistOutcome.NO_MATCH);
        assertThat(publish("a", 3, false)).isCompletedWithValue(Outcome.NO_SUBSCRIBERS);
        answer = CompletableFuture.completedFuture(DistOutcome.OVERLOADED);
        assertThat(publish("a", 3, false))
                .as("some receivers may have the message")
                .isCompletedWithValue(Outcome.NOT_STORED);
        answer = CompletableFuture.completedFuture(DistOutcome.FAILED);
        assertThat(publish("a", 3, false)).isCompletedWithValue(Outcome.NOT_STORED);
        answer = new CompletableFuture<>();
        CompletableFuture<Outcome> later = publish("a", 3, false);
        assertThat(later).isNotDone();
        answer.complete(DistOutcome.DELIVERED);
        assertThat(later).isCompletedWithValue(Outcome.DELIVERED);
        assertThat(retain.topics).isEmpty();
    }

    /** Such a message could not be encoded for any receiver, whose connections would end. */
    @Test
    void oneThatMqttCannotCarryIsRefused() {
        MessageProperties none = MessageProperties.NONE;
        for (MessageProperties wrong : List.of(
                none.withUserProperties(List.of(new UserProperty("a", "x\u0000"))),
                none.withUserProperties(List.of(new UserProperty("\uD800", "x"))),
                new MessageProperties(-1, -1, null, "a/+", null, List.of()),
                new MessageProperties(-1, -1, "\u0000", null, null, List.of()))) {
            assertThat(publisher.publish("t1", new Outgoing("a", new byte[0], Qos.AT_LEAST_ONCE, true, wrong)))
                    .isCompletedExceptionally()
                    .failsWithin(Duration.ZERO)
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(IllegalArgumentException.class);
        }
        assertThat(published).isEmpty();
        assertThat(retain.topics).isEmpty();
    }

    @Test
    void aRetainedOneIsStoredBeforeAnybodyGetsIt() {
        CompletableFuture<Void> stored = new CompletableFuture<>();
        retain.answer = stored;
        CompletableFuture<Outcome> outcome = publish("a", 3, true);
        assertThat(published).isEmpty();
        stored.complete(null);
        assertThat(outcome).isCompletedWithValue(Outcome.DELIVERED);
        assertThat(retain.topics).containsExactly("a");
        retain.answer = CompletableFuture.failedFuture(new RangeException(RangeException.Cause.DISK_FULL, "low disk"));
        assertThat(publish("b", 3, true)).isCompletedWithValue(Outcome.OVERLOADED);
        assertThat(published).hasSize(1);
    }

    @Test
    void aStoreThatMayHaveItIsNotCalledFull() {
        retain.answer = CompletableFuture.failedFuture(new RangeException(RangeException.Cause.TIMEOUT, "no leader"));
        assertThat(publish("b", 3, true)).isCompletedWithValue(Outcome.NOT_STORED);
        assertThat(published).isEmpty();
    }

    @Test
    void oneForLaterIsRetainedWhenItIsPublished() {
        assertThat(publish("$delayed/5/a", 3, true)).isCompletedWithValue(Outcome.DELIVERED);
        assertThat(retain.topics).isEmpty();
    }

    @Test
    void whatAClientMayNotPublishNobodyDoes() {
        assertThat(publish("$SYS/broker/uptime", 3, false))
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(NotAllowedException.class);
        for (String topic : List.of("$delayed/61/a", "$delayed/x/a")) {
            fails(publish(topic, 3, false), IllegalArgumentException.class);
        }
        assertThat(publish("a", MAX_BYTES, false))
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(TooLargeException.class);
        assertThat(publisher.publish("no tenant", message("a", 3, false))).isCompletedExceptionally();
        assertThat(published).isEmpty();
    }

    private static void fails(CompletableFuture<Outcome> outcome, Class<? extends Throwable> as) {
        assertThat(outcome).failsWithin(Duration.ZERO).withThrowableThat().withCauseInstanceOf(as);
    }

    private static Answer refused(TenantSetting by, long most) {
        return new Answer.Refused(ReasonCode.QUOTA_EXCEEDED, by, most, 0);
    }

    @Test
    void whatTheTenantMayNotIsRefusedWithItsSetting() {
        Map<TenantSetting, Class<? extends Throwable>> all = Map.of(
                TenantSetting.MAX_QOS, WrongFieldException.class,
                TenantSetting.RETAIN, WrongFieldException.class,
                TenantSetting.MAX_TOPIC_LEVEL_BYTES, WrongFieldException.class,
                TenantSetting.CHECK_PAYLOAD_FORMAT, WrongFieldException.class,
                TenantSetting.MAX_PAYLOAD_BYTES, TooLargeException.class,
                TenantSetting.MAX_PUBLISH_RATE, TooFastException.class,
                TenantSetting.MAX_TENANT_BANDWIDTH_IN, TooFastException.class,
                TenantSetting.MAX_RETAINED_BYTES, LimitReachedException.class);
        all.forEach((setting, as) -> {
            admission = CompletableFuture.completedFuture(refused(setting, 1));
            CompletableFuture<Outcome> outcome = publish("a", 3, true);
            fails(outcome, as);
            assertThat(outcome.handle((done, failure) -> String.valueOf(failure))
                            .join())
                    .contains(setting.key() + " of the tenant is " + setting.text(1));
        });
        admission = CompletableFuture.completedFuture(
                new Answer.Refused(ReasonCode.QUOTA_EXCEEDED, TenantSetting.MAX_PUBLISH_RATE, 1, 7_000));
        assertThat(publish("a", 3, true))
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(TooFastException.class)
                .satisfies(failure -> assertThat(((TooFastException) failure.getCause()).waitFor())
                        .isEqualTo(Duration.ofNanos(7_000)));
        admission = CompletableFuture.completedFuture(new Answer.NoTenant(TenantAnswer.NO_TENANT));
        fails(publish("a", 3, true), WrongFieldException.class);
        admission = CompletableFuture.failedFuture(new IllegalStateException("no answer"));
        fails(publish("a", 3, true), NotServingException.class);
        assertThat(published).isEmpty();
        assertThat(retain.topics).isEmpty();
        admission = new CompletableFuture<>();
        for (int i = 0; i < OF_TENANT; i++) { // what was refused is no longer under way
            assertThat(publish("a", 3, false)).isNotDone();
        }
    }

    @Test
    void aRetainedOneIsTakenOffTheAccountWhenTheStoreHasAnswered() {
        CompletableFuture<Void> stored = new CompletableFuture<>();
        retain.answer = stored;
        assertThat(publish("a", 3, true)).isNotDone();
        assertThat(retainedTold).isZero();
        stored.complete(null);
        assertThat(retainedTold).isOne();
        retain.answer = CompletableFuture.failedFuture(new RangeException(RangeException.Cause.TIMEOUT, "no leader"));
        assertThat(publish("a", 3, true)).isCompletedWithValue(Outcome.NOT_STORED);
        assertThat(retainedTold).isEqualTo(2);
    }

    @Test
    void pluginsAreHeldToTheLimitsOfTheNode() {
        admission = CompletableFuture.completedFuture(refused(TenantSetting.MAX_QOS, 0));
        assertThat(publisher.ofPlugins().publish("t1", message("a", 3, false))).isCompletedWithValue(Outcome.DELIVERED);
        for (String topic : List.of("a/b/c/d/e", "x".repeat(101))) {
            fails(publisher.ofPlugins().publish("t1", message(topic, 3, false)), IllegalArgumentException.class);
        }
    }

    @Test
    void onlySoManyAreUnderWay() {
        answer = new CompletableFuture<>();
        for (int i = 0; i < OperatorPublisher.MAX_UNDER_WAY; i++) {
            assertThat(publisher.publish("t" + i % OperatorPublisher.SHARES, message("a", 3, false)))
                    .isNotDone();
        }
        fails(publisher.publish("another", message("a", 3, false)), NotServingException.class);
        assertThat(published).hasSize(OperatorPublisher.MAX_UNDER_WAY);
        answer.complete(DistOutcome.DELIVERED);
        assertThat(publish("a", 3, false)).isCompletedWithValue(Outcome.DELIVERED);
    }

    @Test
    void aTenantLeavesRoomToOthersAndToPlugins() {
        answer = new CompletableFuture<>();
        for (int i = 0; i < OF_TENANT; i++) {
            assertThat(publish("a", 3, false)).isNotDone();
        }
        fails(publish("a", 3, false), NotServingException.class);
        assertThat(publisher.publish("t2", message("a", 3, false))).isNotDone();
        for (int i = 0; i < OperatorPublisher.MAX_UNDER_WAY; i++) {
            assertThat(publisher.ofPlugins().publish("t1", message("a", 3, false)))
                    .isNotDone();
        }
        fails(publisher.ofPlugins().publish("t1", message("a", 3, false)), NotServingException.class);
        assertThat(publisher.publish("t3", message("a", 3, false)))
                .as("plugins have a bound of their own")
                .isNotDone();
        answer.complete(DistOutcome.DELIVERED);
        assertThat(publish("a", 3, false)).isCompletedWithValue(Outcome.DELIVERED);
    }

    /** It may still reach its receivers. */
    @Test
    void aMessageWhoseCallerGivesUpCountsUntilItIsAnswered() {
        CompletableFuture<DistOutcome> late = new CompletableFuture<>();
        answer = late;
        for (int i = 0; i < OF_TENANT; i++) {
            publish("a", 3, false).cancel(false);
        }
        fails(publish("a", 3, false), NotServingException.class);
        assertThat(published).hasSize(OF_TENANT);

        late.complete(DistOutcome.DELIVERED);
        answer = new CompletableFuture<>();
        for (int i = 0; i < OF_TENANT; i++) {
            assertThat(publish("a", 3, false)).isNotDone();
        }
        fails(publish("a", 3, false), NotServingException.class);
    }
}
