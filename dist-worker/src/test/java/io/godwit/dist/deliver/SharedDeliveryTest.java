package io.godwit.dist.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.Delayer;
import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.Match;
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

/** Members of shared groups that are full, a repeated message, and one that its member gives back. */
class SharedDeliveryTest {
    private static final ClientInfo PUBLISHER =
            new ClientInfo(TenantId.DEFAULT, new ClientId("p"), null, "127.0.0.1:1", 5);
    private static final String GROUP = "$share/g/a";

    private final TenantIndex index =
            new TopicIndex(new SharedStrategies(SharedPick.ROUND_ROBIN)).tenant(TenantId.DEFAULT);
    private final Set<Receiver> full = new HashSet<>();
    private final Set<Receiver> knowing = new HashSet<>();
    /** Sessions that got the message, in order; a '!' marks one that was full and had to apply its limit. */
    private final List<String> reached = new ArrayList<>();

    private final List<String> asked = new ArrayList<>();
    private final SharedChoices choices = new SharedChoices(System::nanoTime);
    private @Nullable RangeException cannotAsk;
    private final FanOut.Deliverers deliverers = new FanOut.Deliverers(
            this::toLive,
            new Deliverer() {
                @Override
                public CompletableFuture<DistOutcome> deliver(Delivery delivery) {
                    return toInbox(delivery);
                }

                @Override
                public CompletableFuture<List<Boolean>> know(Delivery delivery) {
                    delivery.matches()
                            .forEach(match ->
                                    asked.add(match.receiver().clientId().value()));
                    return cannotAsk != null
                            ? CompletableFuture.failedFuture(cannotAsk)
                            : CompletableFuture.completedFuture(delivery.matches().stream()
                                    .map(match -> knowing.contains(match.receiver()))
                                    .toList());
                }
            },
            new DistCounters(new SimpleMeterRegistry()),
            EventListener.NONE,
            new StrayRoutes((receiver, topic) -> CompletableFuture.completedFuture(null)),
            choices,
            Delayer.NONE,
            new ServedReceivers(System::nanoTime));
    private final FanOut publisher = new FanOut(PUBLISHER, index, deliverers);

    @Test
    void aFullMemberIsPassedOver() {
        subscribe(GROUP, full("1"), inbox("2"));

        assertThat(publish(null)).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(publish(null)).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(reached).containsExactly("2", "2");
    }

    /**
     * Messages of one connection use the strategy of its listener, even if others use another strategy for the same
     * group.
     */
    @Test
    void aPublishersListenerSaysHowItsMessagesAreGivenOut() {
        subscribe(GROUP, inbox("1"), inbox("2"), inbox("3"));
        FanOut sticky = new FanOut(PUBLISHER, SharedPick.STICKY, index, deliverers);
        List<String> ofSticky = new ArrayList<>();
        List<String> ofDefault = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            reached.clear();
            sticky.publish(message(), null);
            ofSticky.addAll(reached);
            reached.clear();
            publish(null);
            ofDefault.addAll(reached);
        }

        assertThat(ofSticky).hasSize(6).containsOnly(ofSticky.get(0));
        assertThat(ofDefault).hasSize(6).contains("1", "2", "3");
    }

    @Test
    void aConnectedMemberIsPreferredAndAnAbsentOneTakesWhatItCannot() {
        subscribe(GROUP, inbox("absent"), full("connected"));
        index.setConnected(filter(GROUP), inbox("connected"), true);

        assertThat(publish(null)).isCompletedWithValue(DistOutcome.DELIVERED);
        full.clear();
        index.setConnected(filter(GROUP), inbox("connected"), true);
        assertThat(publish(null)).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(reached).containsExactly("absent", "connected");
    }

    @Test
    void whenAllAreFullOneDoesWhatItsLimitSays() {
        subscribe(GROUP, full("1"), full("2"), full("3"));

        assertThat(publish(null)).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(reached).hasSize(1).allMatch(name -> name.endsWith("!"));
    }

    @Test
    void theOnlyMemberAndAnOrderedOneAreNotPassedOver() {
        subscribe(GROUP, full("1"));
        subscribe("$oshare/g/a", full("2"), full("3"));

        assertThat(publish(null)).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(reached).hasSize(2).allMatch(name -> name.endsWith("!"));
    }

    @Test
    void aLargeGroupOfFullMembersIsTriedABoundedNumberOfTimes() {
        for (int i = 0; i < 100; i++) {
            subscribe(GROUP, full("f" + i));
        }
        assertThat(publish(null)).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(reached).hasSize(1).allMatch(name -> name.endsWith("!"));
    }

    /** [MQTT5-4.3.3]: even if others joined, connected or were full in between. */
    @Test
    void aRepeatGoesToTheMemberThatHasIt() {
        DeliveryToken token = new DeliveryToken("o", 7, 0);
        subscribe(GROUP, inbox("1"), full("0"));
        subscribe("$queue/a", inbox("1"));
        publish(token);
        assertThat(reached).containsExactly("1", "1");
        full.clear();
        subscribe(GROUP, inbox("3"), new TestReceiver("live"));
        index.setConnected(filter(GROUP), inbox("3"), true);
        subscribe("$queue/a", new TestReceiver("live"));

        publish(token);
        assertThat(reached).containsExactly("1", "1", "1", "1");
        assertThat(asked).isEmpty();

        choices.finished("o", 7);
        assertThat(choices.size()).isZero();
    }

    @Test
    void aRepeatGoesToNobodyWhenAMemberInMemoryHasItOrHadIt() {
        DeliveryToken token = new DeliveryToken("o", 7, 0);
        subscribe(GROUP, new TestReceiver("live"), inbox("1"));
        publish(token);
        assertThat(reached).containsExactly("live");

        index.remove(filter(GROUP), new TestReceiver("live"));
        publish(token);
        assertThat(reached).containsExactly("live");
    }

    @Test
    void whatAnEarlierProcessBeganGoesToNoMemberIfOneOfThemKnowsIt() {
        DeliveryToken token = new DeliveryToken("o", 7, 0, true);
        subscribe(GROUP, new TestReceiver("live"), inbox("1"), inbox("2"));
        subscribe("$queue/a", new TestReceiver("live2"), inbox("3"));
        subscribe("a", inbox("plain"));
        knowing.add(inbox("2"));

        assertThat(publish(token)).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(asked).containsExactlyInAnyOrder("1", "2", "3");
        assertThat(reached).containsExactly("plain", "live2");
    }

    @Test
    void whatAnEarlierProcessBeganWaitsForAnAnswer() {
        subscribe(GROUP, inbox("1"));
        cannotAsk = new RangeException(RangeException.Cause.OVERLOADED, "full");

        assertThat(publish(new DeliveryToken("o", 7, 0, true))).isCompletedWithValue(DistOutcome.OVERLOADED);
        assertThat(reached).isEmpty();
    }

    @Test
    void whatAMemberGivesBackGoesToAnother() {
        subscribe(GROUP, new TestReceiver("1"), inbox("2"));
        publish(null);
        assertThat(reached).containsExactly("1");

        assertThat(handOn(new TestReceiver("1"), null)).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(reached).containsExactly("1", "2");
        publish(null);
        assertThat(reached)
                .as("a member that hands a message back counts as full")
                .containsExactly("1", "2", "2");

        index.remove(filter(GROUP), new TestReceiver("1"));
        assertThat(handOn(new TestReceiver("1"), null)).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(reached).containsExactly("1", "2", "2", "2");
    }

    @Test
    void withoutAnotherMemberThatHasRoomNothingIsHandedOn() {
        subscribe(GROUP, new TestReceiver("1"), new TestReceiver("2"));
        assertThat(handOn(new TestReceiver("1"), null)).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(handOn(new TestReceiver("2"), null)).isCompletedWithValue(DistOutcome.NO_MATCH);
        assertThat(reached).containsExactly("2");

        index.remove(filter(GROUP), new TestReceiver("1"));
        index.remove(filter(GROUP), new TestReceiver("2"));
        assertThat(handOn(new TestReceiver("2"), null)).isCompletedWithValue(DistOutcome.NO_MATCH);
    }

    /**
     * The repeat finds a message that was handed on at its present member, and does not remember a finished token
     * again.
     */
    @Test
    void aRepeatFollowsWhatWasHandedOn() {
        DeliveryToken token = new DeliveryToken("o", 7, 0);
        subscribe(GROUP, new TestReceiver("live"), inbox("1"));
        publish(token);
        handOn(new TestReceiver("live"), token);
        publish(token);
        assertThat(reached).containsExactly("live", "1", "1");

        choices.finished("o", 7);
        handOn(new TestReceiver("live"), token);
        assertThat(choices.size()).isZero();
    }

    @Test
    void whatAnEndedSessionLeavesGoesToOneMemberOfItsGroupOnly() {
        subscribe(GROUP, full("1"), inbox("2"));
        subscribe("$share/other/a", inbox("3"));
        subscribe("a", inbox("plain"));

        assertThat(giveToGroup(null)).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(giveToGroup(new DeliveryToken("o", 7, 0))).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(reached).containsExactly("2", "2");
        assertThat(asked).isEmpty();

        index.remove(filter(GROUP), inbox("2"));
        assertThat(giveToGroup(null))
                .as("the limit of the only member decides")
                .isCompletedWithValue(DistOutcome.DELIVERED);
        index.remove(filter(GROUP), inbox("1"));
        assertThat(giveToGroup(null)).isCompletedWithValue(DistOutcome.NO_MATCH);
        assertThat(reached).containsExactly("2", "2", "1!");
    }

    /** Neither a repeat by the publisher nor one by the component that gives it again reaches another member. */
    @Test
    void whatWasGivenUnderATokenIsGivenToNobodyElse() {
        DeliveryToken token = new DeliveryToken("o", 7, 0);
        subscribe(GROUP, inbox("ended"));
        publish(token);
        index.remove(filter(GROUP), inbox("ended"));
        subscribe(GROUP, inbox("heir"), inbox("other"));
        reached.clear();
        giveToGroup(token);
        String heir = reached.get(0);
        knowing.add(inbox(heir));

        publish(token);
        assertThat(giveToGroup(new DeliveryToken("o", 7, 0, true))).isCompletedWithValue(DistOutcome.DELIVERED);
        choices.finished("o", 7);
        assertThat(giveToGroup(new DeliveryToken("o", 7, 0, true))).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(reached).containsOnly(heir);

        cannotAsk = new RangeException(RangeException.Cause.OVERLOADED, "full");
        assertThat(giveToGroup(new DeliveryToken("o", 7, 0, true))).isCompletedWithValue(DistOutcome.OVERLOADED);
    }

    @Test
    void aSessionInMemoryThatWasGivenItIsRememberedToHaveIt() {
        DeliveryToken token = new DeliveryToken("o", 7, 0);
        subscribe(GROUP, new TestReceiver("live"), inbox("1"));
        giveToGroup(token);
        assertThat(giveToGroup(new DeliveryToken("o", 7, 0, true))).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(reached).containsExactly("live");
    }

    private CompletableFuture<DistOutcome> giveToGroup(@Nullable DeliveryToken token) {
        return new FanOut(PUBLISHER, index, deliverers).giveToGroup(index, filter(GROUP), message(), token);
    }

    private CompletableFuture<DistOutcome> handOn(Receiver from, @Nullable DeliveryToken token) {
        Match match = new Match(from, Qos.AT_LEAST_ONCE, false, Match.NO_IDS, filter(GROUP));
        return new FanOut(PUBLISHER, index, deliverers)
                .handOn(index, new Delivery(PUBLISHER, message(), List.of(match), token));
    }

    private CompletableFuture<DistOutcome> toLive(Delivery delivery) {
        delivery.matches()
                .forEach(match -> reached.add(match.receiver().clientId().value()));
        return Deliverer.DELIVERED;
    }

    private CompletableFuture<DistOutcome> toInbox(Delivery delivery) {
        DistOutcome outcome = DistOutcome.NO_MATCH;
        for (Match match : delivery.matches()) {
            boolean isFull = full.contains(match.receiver());
            if (isFull && delivery.strays().mayRefuse(match)) {
                delivery.strays().refused(match);
            } else {
                reached.add(match.receiver().clientId().value() + (isFull ? "!" : ""));
                outcome = DistOutcome.DELIVERED;
            }
        }
        return CompletableFuture.completedFuture(outcome);
    }

    /** A late copy is for two groups: one is declined here, and a member of the other already has the message. */
    @Test
    void aChoiceBehindTheEndOfATokenHidesNoneOfBefore() {
        DeliveryToken token = new DeliveryToken("o", 1, 0);
        subscribe(GROUP, inbox("1"));
        assertThat(publish(token)).isCompletedWithValue(DistOutcome.DELIVERED);
        choices.finished(token.origin(), token.number());

        choices.declined(token, filter("$share/h/a"));
        assertThat(choices.of(token.origin(), token.number())).containsOnlyKeys(filter(GROUP));
        assertThat(choices.isDeclined(token, filter("$share/h/a"))).isTrue();
        assertThat(choices.size()).as("a finished token is forgotten").isZero();
    }

    private InboxReceiver full(String name) {
        InboxReceiver receiver = inbox(name);
        full.add(receiver);
        return receiver;
    }

    private void subscribe(String filter, Receiver... receivers) {
        for (Receiver receiver : receivers) {
            index.add(filter(filter), receiver, new SubscriptionOptions(Qos.EXACTLY_ONCE, false, false, 0));
        }
    }

    private CompletableFuture<DistOutcome> publish(@Nullable DeliveryToken token) {
        return publisher.publish(message(), token);
    }

    private static Message message() {
        return new Message("a", new byte[] {1}, Qos.EXACTLY_ONCE, false, 0, MessageProperties.NONE);
    }

    private static InboxReceiver inbox(String name) {
        return new InboxReceiver(TenantId.DEFAULT, new ClientId(name), 1);
    }

    private static TopicFilter filter(String text) {
        return TopicFilter.parse(text).orElseThrow();
    }
}
