package io.godwit.dist.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.dist.client.Delayer;
import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.SharedPick;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.dist.index.TenantIndex;
import io.godwit.dist.index.TestReceiver;
import io.godwit.dist.index.TopicIndex;
import io.godwit.dist.index.compact.NodeSet;
import io.godwit.dist.index.share.SharedStrategies;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Publishes of the stores, which share one queue, and those of connections. */
class HeldPublishesTest {
    private final TenantIndex index =
            new TopicIndex(new SharedStrategies(SharedPick.ROUND_ROBIN)).tenant(TenantId.DEFAULT);
    private final Gate gate = new Gate();
    private final HeldPublishes held = new HeldPublishes(gate);
    private final List<String> delivered = new ArrayList<>();
    private CompletableFuture<DistOutcome> delivery = Deliverer.DELIVERED;

    /** Whatever opens it. */
    private static final class Gate implements OtherNodes {
        private boolean isOpen;
        private CompletableFuture<Boolean> opening = new CompletableFuture<>();

        void open() {
            isOpen = true;
            opening.complete(true);
        }

        void shut() {
            isOpen = false;
            opening = new CompletableFuture<>();
        }

        @Override
        public long epoch() {
            return 1;
        }

        @Override
        public boolean mayAcknowledge(long epoch) {
            return isOpen;
        }

        @Override
        public CompletableFuture<Boolean> untilMayAcknowledge() {
            return opening;
        }

        @Override
        public CompletableFuture<Boolean> untilMayAcknowledge(long epoch) {
            return opening;
        }

        @Override
        public CompletableFuture<DistOutcome> deliver(
                ClientInfo publisher, Message message, @Nullable DeliveryToken token, NodeSet nodes, Resend resend) {
            throw new AssertionError("no other node has a subscriber");
        }

        @Override
        public CompletableFuture<List<ChosenElsewhere>> chosen(TenantId tenant, DeliveryToken token) {
            return CompletableFuture.completedFuture(List.of());
        }

        @Override
        public void finished(String tokenOrigin, long tokenNumber) {}
    }

    @BeforeEach
    void subscribe() {
        index.add(
                TopicFilter.parse("#").orElseThrow(),
                new TestReceiver("s"),
                new SubscriptionOptions(Qos.EXACTLY_ONCE, false, false, 0));
    }

    private CompletableFuture<DistOutcome> deliver(Delivery asked) {
        String topic = asked.message().topic();
        if (topic.equals("fault")) {
            throw new IllegalStateException("for the test");
        }
        delivered.add(topic);
        return delivery;
    }

    private CompletableFuture<DistOutcome> publish(String topic) {
        return publish(publisher(5, null), topic);
    }

    private FanOut publisher(int protocolLevel, @Nullable Executor thread) {
        return new FanOut(
                new ClientInfo(TenantId.DEFAULT, new ClientId("p"), null, "127.0.0.1:1", protocolLevel),
                null,
                index,
                new FanOut.Deliverers(
                        this::deliver,
                        this::deliver,
                        new DistCounters(new SimpleMeterRegistry()),
                        EventListener.NONE,
                        new StrayRoutes((tenant, routes) -> CompletableFuture.completedFuture(null)),
                        new SharedChoices(System::nanoTime),
                        Delayer.NONE,
                        new ServedReceivers(System::nanoTime),
                        gate,
                        held),
                thread);
    }

    private static CompletableFuture<DistOutcome> publish(FanOut publisher, String topic) {
        return publisher.publish(
                new Message(topic, new byte[0], Qos.AT_LEAST_ONCE, false, 0, MessageProperties.NONE), null);
    }

    @Test
    void oneThatFailsIsToldAndTheNextHaveTheirTurn() {
        CompletableFuture<DistOutcome> fault = publish("fault");
        CompletableFuture<DistOutcome> next = publish("next");
        gate.open();
        assertThat(fault).isCompletedWithValue(DistOutcome.FAILED);
        assertThat(next).isCompletedWithValue(DistOutcome.DELIVERED);
        gate.shut();
        CompletableFuture<DistOutcome> later = publish("later");
        gate.open();
        assertThat(later).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(delivered).containsExactly("next", "later");
    }

    /** The connection learns of the refusal later, by its thread. */
    @Test
    @Clause({"MQTT5-4.6.0-5", "MQTT311-4.6.0-6"})
    void whatTheClientRepeatsBehindARefusedMessageIsNotPublished() {
        FanOut connection = publisher(4, Runnable::run);
        CompletableFuture<Boolean> tooLong = gate.opening;
        CompletableFuture<DistOutcome> first = publish(connection, "first");
        gate.shut();
        CompletableFuture<DistOutcome> second = publish(connection, "second");
        gate.open();
        tooLong.complete(false);
        assertThat(first).isCompletedWithValue(DistOutcome.OVERLOADED);
        assertThat(second).isCompletedWithValue(DistOutcome.OVERLOADED);
        assertThat(delivered).isEmpty();
        assertThat(publish(publisher(4, Runnable::run), "first")).isCompletedWithValue(DistOutcome.DELIVERED);
    }

    @Test
    void whatTheClientRepeatsBehindAFaultIsNotPublished() {
        FanOut connection = publisher(4, Runnable::run);
        CompletableFuture<DistOutcome> fault = publish(connection, "fault");
        CompletableFuture<DistOutcome> second = publish(connection, "second");
        gate.open();
        assertThat(fault).isCompletedWithValue(DistOutcome.FAILED);
        assertThat(second).isCompletedWithValue(DistOutcome.OVERLOADED);
        assertThat(delivered).isEmpty();
    }

    @Test
    void aFailureThatComesLaterIsToldToo() {
        CompletableFuture<DistOutcome> full = new CompletableFuture<>();
        delivery = full;
        CompletableFuture<DistOutcome> outcome = publish("t");
        gate.open();
        assertThat(outcome).isNotDone();
        full.completeExceptionally(new RangeException(RangeException.Cause.OVERLOADED, "for the test"));
        assertThat(outcome).isCompletedWithValue(DistOutcome.OVERLOADED);
    }
}
