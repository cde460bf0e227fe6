package io.godwit.dist.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.Delayer;
import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.Receiver;
import io.godwit.dist.client.SharedPick;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.dist.index.TenantIndex;
import io.godwit.dist.index.TestReceiver;
import io.godwit.dist.index.TopicIndex;
import io.godwit.dist.index.share.SharedStrategies;
import io.godwit.kv.client.RangeException;
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
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Sessions that have ended while their routes are still there: a shared group chooses another member. */
class EndedMemberTest {
    private static final DeliveryToken TOKEN = new DeliveryToken("o", 7, 0);

    private final TenantIndex index =
            new TopicIndex(new SharedStrategies(SharedPick.ROUND_ROBIN)).tenant(TenantId.DEFAULT);
    private final Set<Receiver> ended = new HashSet<>();
    /** Sessions that got the message, in order. */
    private final List<String> reached = new ArrayList<>();

    private final List<@Nullable DeliveryToken> tokens = new ArrayList<>();
    private final List<InboxReceiver> removed = new ArrayList<>();
    private CompletableFuture<Void> removal = CompletableFuture.completedFuture(null);
    /** Whether a removal of a route is followed by a new member that has ended too. */
    private boolean othersKeepComing;

    private final FanOut publisher = new FanOut(
            new ClientInfo(TenantId.DEFAULT, new ClientId("p"), null, "127.0.0.1:1", 5),
            index,
            new FanOut.Deliverers(
                    this::toLive,
                    this::toInbox,
                    new DistCounters(new SimpleMeterRegistry()),
                    EventListener.NONE,
                    new StrayRoutes(this::removeRoutes),
                    new SharedChoices(System::nanoTime),
                    Delayer.NONE,
                    new ServedReceivers(System::nanoTime)));

    @Test
    void theGroupChoosesAnotherMemberOnceTheRouteIsGone() {
        subscribe("$share/g/a", ended("1"), inbox("2"));
        removal = new CompletableFuture<>();

        CompletableFuture<DistOutcome> outcome = publish(null);

        assertThat(reached).isEmpty();
        assertThat(outcome).isNotDone();
        removal.complete(null);
        assertThat(outcome).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(reached).containsExactly("2");
        assertThat(removed).containsExactly(inbox("1"));
    }

    @Test
    void manyEndedMembersAreGoneThroughUntilOneIsThere() {
        for (int i = 0; i < 10; i++) {
            subscribe("$share/g/a", ended("e" + i));
        }
        subscribe("$share/g/a", inbox("there"));

        assertThat(publish(TOKEN)).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(reached).containsExactly("there");
        assertThat(tokens).containsOnly(TOKEN);
    }

    @Test
    void aLiveMemberMayBeChosenInstead() {
        subscribe("$share/g/a", ended("1"), new TestReceiver("live"));
        index.setConnected(TopicFilter.parse("$share/g/a").orElseThrow(), inbox("1"), true);

        assertThat(publish(null)).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(publish(null)).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(reached).containsExactly("live", "live");
        assertThat(removed).containsExactly(inbox("1"));
    }

    @Test
    void onlyTheGroupsThatReachedNobodyChooseAgain() {
        subscribe("$share/g/a", ended("1"), inbox("2"));
        subscribe("$share/h/a", inbox("3"), inbox("4"));
        subscribe("a", inbox("5"));

        assertThat(publish(null)).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(reached).containsExactlyInAnyOrder("3", "5", "2");
    }

    @Test
    void aPlainSubscriptionOfAnEndedSessionIsRemovedAndNobodyElseGetsItsCopy() {
        subscribe("a", ended("1"));
        subscribe("$share/g/a", inbox("2"), inbox("3"));

        assertThat(publish(null)).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(reached).containsExactly("2");
        assertThat(removed).containsExactly(inbox("1"));
    }

    @Test
    void aStrayWithoutAGroupIsRemovedToo() {
        subscribe("a", ended("1"));

        assertThat(publish(null)).isCompletedWithValue(DistOutcome.NO_MATCH);
        assertThat(removed).containsExactly(inbox("1"));
    }

    @Test
    void aGroupWithoutAnyMemberLeftIsNoMatch() {
        subscribe("$share/g/a", ended("1"), ended("2"));

        assertThat(publish(null)).isCompletedWithValue(DistOutcome.NO_MATCH);
        assertThat(removed).containsExactlyInAnyOrder(inbox("1"), inbox("2"));
    }

    @Test
    void aRouteThatCannotBeRemovedRefusesThePublish() {
        subscribe("$share/g/a", ended("1"), inbox("2"));
        removal = CompletableFuture.failedFuture(new RangeException(RangeException.Cause.OVERLOADED, "full"));

        assertThat(publish(null)).isCompletedWithValue(DistOutcome.OVERLOADED);
        assertThat(reached).isEmpty();
    }

    @Test
    void theChoiceIsRepeatedABoundedNumberOfTimes() {
        subscribe("$share/g/a", ended("1"));
        othersKeepComing = true;

        assertThat(publish(null)).isCompletedWithValue(DistOutcome.FAILED);
        assertThat(removed).hasSize(SharedPicks.MAX_ROUNDS - 1);
    }

    private CompletableFuture<DistOutcome> toLive(Delivery delivery) {
        delivery.matches()
                .forEach(match -> reached.add(match.receiver().clientId().value()));
        return Deliverer.DELIVERED;
    }

    private CompletableFuture<DistOutcome> toInbox(Delivery delivery) {
        DistOutcome outcome = DistOutcome.NO_MATCH;
        tokens.add(delivery.token());
        for (var match : delivery.matches()) {
            if (ended.contains(match.receiver())) {
                delivery.strays().found(delivery.message().topic(), match);
            } else {
                reached.add(match.receiver().clientId().value());
                outcome = DistOutcome.DELIVERED;
            }
        }
        return CompletableFuture.completedFuture(outcome);
    }

    private CompletableFuture<Void> removeRoutes(InboxReceiver receiver, String topic) {
        removed.add(receiver);
        return removal.thenRun(() -> {
            if (othersKeepComing) {
                subscribe("$share/g/a", ended("n" + removed.size()));
            }
            index.filtersOf(receiver, topic).forEach(filter -> index.remove(filter, receiver));
        });
    }

    private InboxReceiver ended(String name) {
        InboxReceiver receiver = inbox(name);
        ended.add(receiver);
        return receiver;
    }

    private void subscribe(String filter, Receiver... receivers) {
        for (Receiver receiver : receivers) {
            index.add(
                    TopicFilter.parse(filter).orElseThrow(),
                    receiver,
                    new SubscriptionOptions(Qos.AT_LEAST_ONCE, false, false, 0));
        }
    }

    private CompletableFuture<DistOutcome> publish(@Nullable DeliveryToken token) {
        return publisher.publish(
                new Message("a", new byte[] {1}, Qos.AT_LEAST_ONCE, false, 0, MessageProperties.NONE), token);
    }

    private static InboxReceiver inbox(String name) {
        return new InboxReceiver(TenantId.DEFAULT, new ClientId(name), 1);
    }
}
