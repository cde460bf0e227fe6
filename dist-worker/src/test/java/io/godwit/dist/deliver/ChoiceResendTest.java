package io.godwit.dist.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.Delayer;
import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.SharedPick;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.dist.index.TenantIndex;
import io.godwit.dist.index.TestReceiver;
import io.godwit.dist.index.TopicIndex;
import io.godwit.dist.index.compact.NodeSet;
import io.godwit.dist.index.share.SharedStrategies;
import io.godwit.kv.client.RequestOrder;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node that the others have excluded chooses no member for a message that another node may resume. */
class ChoiceResendTest {
    private static final ClientInfo PUBLISHER =
            new ClientInfo(TenantId.DEFAULT, new ClientId("p"), null, "127.0.0.1:1", 5);
    private static final DeliveryToken FIRST = new DeliveryToken("o", 7, 7, false, new RequestOrder());
    private static final DeliveryToken RESUMED = new DeliveryToken("o", 7, 0, true);

    private final TenantIndex index =
            new TopicIndex(new SharedStrategies(SharedPick.ROUND_ROBIN)).tenant(TenantId.DEFAULT);
    private final Membership membership = new Membership();
    private final SharedChoices choices = new SharedChoices(System::nanoTime);
    private final List<Delivery> stored = new ArrayList<>();
    private Function<Delivery, CompletableFuture<DistOutcome>> toInbox = delivery -> Deliverer.DELIVERED;
    private final List<Delivery> live = new ArrayList<>();
    private final FanOut.Deliverers deliverers = new FanOut.Deliverers(
            delivery -> {
                live.add(delivery);
                return Deliverer.DELIVERED;
            },
            new Deliverer() {
                @Override
                public CompletableFuture<DistOutcome> deliver(Delivery delivery) {
                    stored.add(delivery);
                    return toInbox.apply(delivery);
                }

                @Override
                public CompletableFuture<List<Boolean>> know(Delivery delivery) {
                    return CompletableFuture.completedFuture(
                            delivery.matches().stream().map(match -> false).toList());
                }
            },
            new DistCounters(new SimpleMeterRegistry()),
            EventListener.NONE,
            new StrayRoutes((receiver, topic) -> CompletableFuture.completedFuture(null)),
            choices,
            Delayer.NONE,
            new ServedReceivers(System::nanoTime),
            membership,
            new HeldPublishes(membership));
    private final FanOut publisher = new FanOut(PUBLISHER, index, deliverers);

    private static final class Membership implements OtherNodes {
        long epoch = 1;
        boolean isFresh = true;
        CompletableFuture<List<ChosenElsewhere>> answers = CompletableFuture.completedFuture(List.of());

        @Nullable
        CompletableFuture<Boolean> until;

        @Override
        public long epoch() {
            return epoch;
        }

        @Override
        public boolean mayAcknowledge(long of) {
            return isFresh && of == epoch;
        }

        @Override
        public CompletableFuture<Boolean> untilMayAcknowledge() {
            return untilMayAcknowledge(epoch);
        }

        @Override
        public CompletableFuture<Boolean> untilMayAcknowledge(long of) {
            until = mayAcknowledge(of) ? CompletableFuture.completedFuture(true) : new CompletableFuture<>();
            return until;
        }

        @Override
        public CompletableFuture<DistOutcome> deliver(
                ClientInfo from, Message message, @Nullable DeliveryToken token, NodeSet nodes, Resend resend) {
            return Deliverer.DELIVERED;
        }

        @Override
        public CompletableFuture<List<ChosenElsewhere>> chosen(TenantId tenant, DeliveryToken token) {
            isFresh = false; // during the question
            return answers;
        }

        @Override
        public void finished(String tokenOrigin, long tokenNumber) {}
    }

    @Test
    void aChosenMemberIsSentNothingWhileItIsNotKnownWhetherTheChoiceCounts() {
        subscribe("$share/g/a", "1", "2");
        publish(FIRST);
        Resend resend = stored.get(0).resend();
        assertThat(resend.mustWait()).isFalse();
        membership.isFresh = false;
        assertThat(resend.mustWait()).isTrue();
        assertThat(resend.isAbandoned())
                .as("not abandoned, because the proof may still come")
                .isFalse();
        membership.isFresh = true;
        assertThat(resend.mustWait()).isFalse();
        membership.epoch = 2;
        assertThat(resend.isAbandoned())
                .as("abandoned, because the node was excluded")
                .isTrue();
    }

    /** Its next connection may have finished the message by then, and receivers have forgotten the token. */
    @Test
    void nothingIsSentWhenTheConnectionOfThePublisherHasEnded() {
        subscribe("a", "plain");
        publish(FIRST);
        subscribe("$share/g/a", "1", "2");
        publish(new DeliveryToken("o", 8, 0));
        publish(null);
        assertThat(stored).hasSize(3).allMatch(delivery -> !delivery.resend().isAbandoned());
        publisher.end();
        assertThat(stored).allMatch(delivery -> delivery.resend().isAbandoned());
    }

    @Test
    void receiversThatRecogniseARepeatAndPublishesWithoutATokenDoNotWait() {
        subscribe("a", "plain");
        publish(FIRST);
        subscribe("$share/g/a", "1", "2");
        publish(null);
        membership.isFresh = false;
        membership.epoch = 2;
        assertThat(stored).hasSize(2).allSatisfy(delivery -> {
            assertThat(delivery.resend().mustWait()).isFalse();
            assertThat(delivery.resend().isAbandoned()).isFalse();
        });
    }

    @Test
    void whenTheChosenMemberHasNoRoomNoOtherIsChosenUnlessTheNodeIsAMember() {
        subscribe("$share/g/a", "1", "2");
        toInbox = delivery -> {
            membership.isFresh = false;
            delivery.strays().refused(delivery.matches().get(0));
            return CompletableFuture.completedFuture(DistOutcome.NO_MATCH);
        };
        assertThat(publish(FIRST)).isCompletedWithValue(DistOutcome.FAILED);
        assertThat(stored).hasSize(1);
    }

    @Test
    void aResumedMessageIsGivenToAMemberOnlyWithAProofThatIsNewerThanTheAnswers() {
        subscribe("$share/g/a", "1", "2");
        CompletableFuture<DistOutcome> lapsed = publish(RESUMED);
        assertThat(lapsed).isNotDone();
        answer(false);
        assertThat(lapsed).isCompletedWithValue(DistOutcome.FAILED);
        assertThat(stored).isEmpty();

        membership.isFresh = true;
        CompletableFuture<DistOutcome> slow = publish(RESUMED);
        answer(true);
        assertThat(slow).isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(stored).hasSize(1);
    }

    /** Other callbacks may run before this one. */
    @Test
    void aResumedMessageIsGivenToNobodyWhenTheProofIsOldByTheTimeThatItIsTold() {
        subscribe("$share/g/a", "1", "2");
        CompletableFuture<DistOutcome> late = publish(RESUMED);
        CompletableFuture<Boolean> asked = membership.until;
        assertThat(asked).isNotNull().isNotDone();
        asked.complete(true);
        assertThat(late).isCompletedWithValue(DistOutcome.FAILED);
        assertThat(stored).isEmpty();
    }

    /** The node of the next connection may have asked meanwhile, and been told that this node has made no choice. */
    @Test
    void nobodyIsChosenForAResumedMessageWhenItsConnectionHasEndedMeanwhile() {
        subscribe("$share/g/a", "1", "2");
        membership.answers = new CompletableFuture<>();
        CompletableFuture<DistOutcome> outcome = publish(RESUMED);
        publisher.end();
        assertThat(choices.of("o", 7))
                .as("the next node learns that this one has made no choice")
                .isEmpty();
        membership.isFresh = true;
        membership.answers.complete(List.of());
        assertThat(outcome).isCompletedWithValue(DistOutcome.FAILED);
        assertThat(choices.of("o", 7)).isEmpty();
        assertThat(stored).isEmpty();
    }

    /**
     * A leader of the store resumes it, and so does the next one: that may have asked, and been told that there is no
     * choice.
     */
    @Test
    void nobodyIsChosenForAResumedMessageWhenItsLeaderIsNoneAnyMore() {
        subscribe("$share/g/a", "1", "2");
        subscribe("a", "plain");
        membership.answers = new CompletableFuture<>();
        AtomicBoolean isOver = new AtomicBoolean();
        CompletableFuture<DistOutcome> outcome =
                new FanOut(PUBLISHER, index, deliverers, isOver::get).publish(message(), RESUMED);
        assertThat(stored)
                .as("only the copy for the plain subscription is stored")
                .hasSize(1)
                .allMatch(delivery -> !delivery.resend().isAbandoned());
        isOver.set(true);
        membership.isFresh = true;
        membership.answers.complete(List.of());
        assertThat(outcome).isCompletedWithValue(DistOutcome.FAILED);
        assertThat(choices.of("o", 7)).isEmpty();
        assertThat(stored).hasSize(1).allMatch(delivery -> delivery.resend().isAbandoned());
    }

    @Test
    void nobodyIsGivenWhatASessionHasLeftWhenTheLeaderIsNoneAnyMore() {
        subscribe("$share/g/a", "1", "2");
        membership.answers = new CompletableFuture<>();
        AtomicBoolean isOver = new AtomicBoolean();
        CompletableFuture<DistOutcome> outcome = new FanOut(PUBLISHER, index, deliverers, isOver::get)
                .giveToGroup(index, TopicFilter.parse("$share/g/a").orElseThrow(), message(), RESUMED);
        isOver.set(true);
        membership.isFresh = true;
        membership.answers.complete(List.of());
        assertThat(outcome).isCompletedWithValue(DistOutcome.FAILED);
        assertThat(stored).isEmpty();
    }

    /** The publisher has its acknowledgement, and no other member has the message. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatALiveSessionLeavesIsGivenOnThoughThePublisherHasGone(boolean hasToken) {
        TestReceiver member = new TestReceiver("live");
        TopicFilter group = TopicFilter.parse("$share/g/a").orElseThrow();
        index.add(group, member, new SubscriptionOptions(Qos.EXACTLY_ONCE, false, false, 0));
        publish(hasToken ? FIRST : null);
        Delivery left = live.get(0);
        publisher.end();
        membership.epoch = 2;
        index.remove(group, member);
        subscribe("$share/g/a", "heir");
        assertThat(new FanOut(PUBLISHER, index, deliverers).handOn(index, left))
                .isCompletedWithValue(DistOutcome.DELIVERED);
        assertThat(stored).hasSize(1).allMatch(delivery -> !delivery.resend().isAbandoned());
        assertThat(stored).allMatch(delivery -> !delivery.resend().mustWait());
        // an inbox takes it although the token is finished, and although an earlier message may have failed
        assertThat(stored)
                .allMatch(delivery -> delivery.token() == null
                        || (delivery.token().finishedBelow() == 0
                                && delivery.token().order() == null));
    }

    private void answer(boolean isMember) {
        CompletableFuture<Boolean> asked = membership.until;
        assertThat(asked).isNotNull().isNotDone();
        membership.isFresh = isMember;
        asked.complete(isMember);
    }

    private CompletableFuture<DistOutcome> publish(@Nullable DeliveryToken token) {
        return publisher.publish(message(), token);
    }

    private static Message message() {
        return new Message("a", new byte[] {1}, Qos.EXACTLY_ONCE, false, 0, MessageProperties.NONE);
    }

    private void subscribe(String text, String... clients) {
        TopicFilter filter = TopicFilter.parse(text).orElseThrow();
        for (String client : clients) {
            InboxReceiver receiver = new InboxReceiver(TenantId.DEFAULT, new ClientId(client), 1);
            index.add(filter, receiver, new SubscriptionOptions(Qos.EXACTLY_ONCE, false, false, 0));
        }
    }
}
