package io.godwit.broker.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.testing.MemoryLinks;
import io.godwit.dist.DistConfig;
import io.godwit.dist.DistWorker;
import io.godwit.dist.client.Delayer;
import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.LiveReceiver;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.dist.member.Heartbeat;
import io.godwit.dist.member.Members;
import io.godwit.dist.member.view.NodeLife;
import io.godwit.dist.peer.LivePeers;
import io.godwit.dist.peer.link.ClusterParts;
import io.godwit.dist.peer.link.PeerWaits;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class LinkIntroductionsTest {
    private static final NodeLife OTHER = new NodeLife("other", 5);

    private final MemoryLinks.Net net = new MemoryLinks.Net();
    private final ManualTimer timer = new ManualTimer();
    private final List<String> heard = new ArrayList<>();
    private final List<NodeLife> silent = new ArrayList<>();
    private final Node joiner = new Node("joiner", 1);
    private final CompletableFuture<Void> clientsClosed = new CompletableFuture<>();
    private final LinkIntroductions introductions = new LinkIntroductions(
            joiner.links, joiner.live, timer, timer::nanoTime, Duration.ofSeconds(5), silent::add, () -> clientsClosed);

    LinkIntroductionsTest() {
        net.join(joiner.links);
    }

    /** A node's live routes and links; as members, it knows nobody else. */
    private final class Node implements Members {
        final MemoryLinks links;
        final DistWorker worker;
        final LivePeers live;

        Node(String nodeId, long incarnation) {
            links = net.node(nodeId, incarnation);
            ClusterParts parts = new ClusterParts(
                    nodeId,
                    links,
                    this,
                    () -> true,
                    deadline -> CompletableFuture.completedFuture(null),
                    (delay, task) -> timer.later(delay.toMillis(), task),
                    () -> 0,
                    timer::nanoTime,
                    () -> 1,
                    new PeerWaits(Duration.ofSeconds(5), Duration.ofSeconds(20), Duration.ofSeconds(30)),
                    ClusterParts.defaultLiveFilterBytes(),
                    Optional::empty);
            worker = new DistWorker(
                    DistConfig.DEFAULT,
                    () -> {
                        throw new IllegalStateException("no store");
                    },
                    delivery -> Deliverer.DELIVERED,
                    delivery -> Deliverer.DELIVERED,
                    Delayer.NONE,
                    EventListener.NONE,
                    new SimpleMeterRegistry(),
                    parts);
            live = Objects.requireNonNull(worker.peers());
            links.receive(Lane.CONTROL, live::onControl);
            links.receive(Lane.LIVE, live::onLive);
            links.addListener(live);
        }

        @Override
        public Set<NodeLife> others() {
            return Set.of();
        }

        @Override
        public CompletableFuture<Void> exclude(NodeLife member, String why) {
            return CompletableFuture.failedFuture(new IOException("nobody is excluded here"));
        }

        @Override
        public boolean mayAcknowledge() {
            return true;
        }

        @Override
        public CompletableFuture<Boolean> untilMayAcknowledge() {
            return CompletableFuture.completedFuture(true);
        }

        @Override
        public void heard(NodeLife by, Heartbeat beat) {
            heard.add(links.peers() + " hears of " + by + " " + beat.since());
        }
    }

    private Node other(long incarnation) {
        Node made = new Node("other", incarnation);
        net.join(made.links);
        return made;
    }

    /** Advances the time and delivers messages before and after. */
    private void pass(long millis) {
        net.deliverAll();
        timer.advance(millis);
        net.deliverAll();
    }

    @Test
    void aMemberIsIntroducedOnceAllThatItHadPromisedIsKnownHere() {
        Node other = other(5);
        LiveReceiver session = () -> new ClientId("s");
        TopicFilter filter = TopicFilter.parse("t/#").orElseThrow();
        other.worker
                .client()
                .subscribe(
                        TenantId.DEFAULT, filter, session, new SubscriptionOptions(Qos.AT_LEAST_ONCE, false, false, 0));
        CompletableFuture<Void> introduced = introductions.introduced(OTHER, 3);
        assertThat(introduced).isNotDone();
        assertThat(joiner.live.knowsAllOf(OTHER)).isFalse();
        net.deliverAll();
        assertThat(introduced).isCompleted();
        assertThat(joiner.live.knowsAllOf(OTHER)).isTrue();
        timer.advance(60_000);
        assertThat(timer.waiting()).as("no timer is left").isZero();
    }

    @Test
    void twoRequestsForAMemberAreBothAnswered() {
        other(5);
        CompletableFuture<Void> first = introductions.introduced(OTHER, 3);
        CompletableFuture<Void> second = introductions.introduced(OTHER, 4);
        net.deliverAll();
        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
        CompletableFuture<Void> again = introductions.introduced(OTHER, 5);
        assertThat(again)
                .as("a new request is not answered from an earlier one")
                .isNotDone();
        net.deliverAll();
        assertThat(again).isCompleted();
    }

    @Test
    void aMemberThatNobodyIsLinkedToIsTakenForOverAfterFiveSeconds() {
        CompletableFuture<Void> introduced = introductions.introduced(OTHER, 3);
        pass(5_000);
        assertThat(introduced).isNotDone();
        assertThat(silent).isEmpty();
        pass(400);
        assertThat(introduced).isCompletedExceptionally();
        assertThat(silent).containsExactly(OTHER);
        assertThat(timer.waiting()).isZero();
    }

    @Test
    void theTimeWithoutALinkCountsFromItsLastMoment() {
        other(5);
        net.cut("other", "joiner"); // nothing is answered
        CompletableFuture<Void> introduced = introductions.introduced(OTHER, 3);
        pass(60_000);
        assertThat(introduced).as("no time-out while the member is linked").isNotDone();
        net.cut("joiner", "other");
        pass(4_000);
        net.mend("joiner", "other");
        pass(1_000);
        net.cut("joiner", "other");
        pass(4_900);
        assertThat(introduced).isNotDone();
        pass(600);
        assertThat(introduced).isCompletedExceptionally();
    }

    @Test
    void aMemberThatIsLinkedInTimeIsIntroduced() {
        CompletableFuture<Void> introduced = introductions.introduced(OTHER, 3);
        pass(4_000);
        other(5);
        pass(200);
        assertThat(introduced).isCompleted();
    }

    /** The same node in another life, as after a restart at another address. */
    @Test
    void anotherLifeOfTheNodeDoesNotIntroduceTheOneThatIsAskedFor() {
        other(4);
        CompletableFuture<Void> notYet = introductions.introduced(OTHER, 3);
        pass(1_000);
        assertThat(introductions.isLinked(OTHER)).isFalse();
        assertThat(notYet).as("a link to an earlier life does not count").isNotDone();
        net.kill("other");
        other(6);
        pass(0);
        assertThat(notYet).as("the requested life is over").isCompletedExceptionally();
        assertThat(introductions.isLinked(new NodeLife("other", 6))).isTrue();
    }

    @Test
    void anEarlierLifeThatStaysLinkedCountsAsNoLink() {
        other(4);
        CompletableFuture<Void> introduced = introductions.introduced(OTHER, 3);
        pass(5_400);
        assertThat(introduced).isCompletedExceptionally();
    }

    @Test
    void aCancelledIntroductionIsNotContinued() {
        CompletableFuture<Void> introduced = introductions.introduced(OTHER, 3);
        pass(1_000);
        introduced.cancel(false);
        pass(200);
        assertThat(timer.waiting()).isZero();
    }

    private static Heartbeat beat(long since) {
        return new Heartbeat(since, 0, 0, false, Set.of());
    }

    @Test
    void onlyALifeThatIsConnectedNowIsLinkedAndTold() {
        assertThat(introductions.isLinked(OTHER)).isFalse();
        introductions.beat(OTHER, beat(1));
        other(5);
        assertThat(introductions.isLinked(OTHER)).isTrue();
        assertThat(introductions.isLinked(new NodeLife("other", 4))).isFalse();
        introductions.beat(OTHER, beat(2));
        introductions.beat(new NodeLife("other", 4), beat(3));
        net.cut("joiner", "other");
        assertThat(introductions.isLinked(OTHER)).isFalse();
        introductions.beat(OTHER, beat(4));
        net.mend("joiner", "other");
        net.deliverAll();
        assertThat(heard).singleElement().asString().endsWith(new NodeLife("joiner", 1) + " 2");
    }

    @Test
    void theClientsAreClosedByTheWiring() {
        CompletableFuture<Void> closing = introductions.closeClients();
        assertThat(closing).isNotDone();
        clientsClosed.complete(null);
        assertThat(closing).isCompleted();
    }
}
