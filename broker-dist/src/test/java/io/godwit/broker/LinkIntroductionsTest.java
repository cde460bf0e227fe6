package io.godwit.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.LaneReceiver;
import io.godwit.cluster.link.LinkListener;
import io.godwit.cluster.link.Links;
import io.godwit.cluster.link.Peer;
import io.godwit.dist.DistConfig;
import io.godwit.dist.DistWorker;
import io.godwit.dist.client.Delayer;
import io.godwit.dist.client.Deliverer;
import io.godwit.dist.member.Members;
import io.godwit.dist.member.NodeLife;
import io.godwit.dist.peer.ClusterParts;
import io.godwit.dist.peer.LivePeers;
import io.godwit.plugin.event.EventListener;
import io.godwit.testing.Await;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LinkIntroductionsTest {
    private static final NodeLife MEMBER = new NodeLife("n2", 7);

    private final List<NodeLife> silent = new ArrayList<>();
    private final List<Runnable> later = new ArrayList<>();

    /** Nobody is linked. */
    private static final class NoLinks implements Links {
        @Override
        public void receive(Lane lane, LaneReceiver receiver) {}

        @Override
        public void addListener(LinkListener listener) {}

        @Override
        public List<Peer> peers() {
            return List.of();
        }

        @Override
        public @Nullable Peer peer(String nodeId) {
            return null;
        }
    }

    private static LivePeers live(Links links) {
        ClusterParts parts = new ClusterParts(
                "n1",
                links,
                Members.ALONE,
                deadline -> CompletableFuture.completedFuture(null),
                (delay, task) -> {},
                System::currentTimeMillis,
                System::nanoTime,
                Duration.ofSeconds(5));
        DistWorker worker = new DistWorker(
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
        return Objects.requireNonNull(worker.peers());
    }

    @Test
    void aMemberWithoutALinkIsTakenForOverAfterTheTimeThatIsConfigured() {
        Links links = new NoLinks();
        Duration unlinked = Duration.ofMillis(20);
        LinkIntroductions introductions = new LinkIntroductions(
                links,
                live(links),
                (millis, task) -> later.add(task),
                unlinked,
                silent::add,
                () -> CompletableFuture.completedFuture(null));
        CompletableFuture<Void> introduced = introductions.introduced(MEMBER, 1);
        assertThat(introduced).isNotDone();
        assertThat(silent).isEmpty();
        long began = System.nanoTime();
        Await.until("the time", () -> System.nanoTime() - began > unlinked.toNanos());
        later.remove(0).run();

        assertThat(introduced).isCompletedExceptionally();
        assertThat(silent).containsExactly(MEMBER);
    }
}
