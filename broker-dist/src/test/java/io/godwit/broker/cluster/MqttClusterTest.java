package io.godwit.broker.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.settings.cluster.ClusterWaitsSection;
import io.godwit.cluster.Cluster;
import io.godwit.cluster.config.ClusterConfig;
import io.godwit.cluster.config.HostPort;
import io.godwit.cluster.link.Peer;
import io.godwit.cluster.member.NodeIdentity;
import io.godwit.cluster.testing.MemoryLinks;
import io.godwit.dist.member.Heartbeat;
import io.godwit.dist.member.Members;
import io.godwit.dist.member.view.NodeLife;
import io.godwit.dist.peer.link.ClusterParts;
import io.godwit.dist.peer.link.PeerWaits;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.event.EventListener;
import io.godwit.testing.Await;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Its state before its stores are open, and when a start is given up midway. */
@Timeout(60)
class MqttClusterTest {
    private final Cluster cluster = cluster();
    private final MqttCluster others;

    MqttClusterTest() throws IOException {
        ClusterWaitsSection limits = new ClusterWaitsSection(1, 2, 1, 1, 2, 1, 1, 1, 1, 1, 5, 6, 1, 1, 1);
        others =
                MqttCluster.open(cluster, "test", new NodeWaits(limits, EventListener.NONE, new SimpleMeterRegistry()));
    }

    private static Cluster cluster() throws IOException {
        int port;
        int rpcPort;
        try (ServerSocket first = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerSocket second = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = first.getLocalPort();
            rpcPort = second.getLocalPort();
        }
        return Cluster.open(
                new ClusterConfig(
                        "test",
                        "127.0.0.1",
                        port,
                        rpcPort,
                        "",
                        List.of(new HostPort("127.0.0.1", port)),
                        null,
                        ClusterConfig.DEFAULT_MAX_MESSAGE_BYTES),
                new NodeIdentity("self", 3, "1", Map.of()));
    }

    @AfterEach
    void close() throws IOException {
        others.close();
        cluster.close();
    }

    @Test
    void beforeTheStoresAreOpenNothingIsPromisedAndNobodyIsExcluded() {
        ClusterParts parts = others.parts(() -> 0, 0);
        Members members = parts.members();
        assertThat(parts.nodeId()).isEqualTo("self");
        assertThat(others.serves()).isFalse();
        assertThat(others.lack()).isNotEmpty();
        assertThat(members.others()).isEmpty();
        assertThat(members.mayAcknowledge()).isFalse();
        assertThat(members.mayAcknowledge(members.epoch())).isFalse();
        assertThat(members.untilMayAcknowledge()).isCompletedWithValue(false);
        assertThat(members.untilMayAcknowledge(0)).isCompletedWithValue(false);
        CompletableFuture<Void> excluded = members.exclude(new NodeLife("other", 1), "test");
        assertThat(excluded.handle((done, failure) -> ((RangeException) failure).reason()))
                .isCompletedWithValue(RangeException.Cause.CLOSED);
        members.heard(new NodeLife("other", 1), new Heartbeat(4, 0, 0, false, Set.of())); // nobody to tell yet
    }

    @Test
    void theDistWorkerWaitsForAsLongAsConfigured() {
        assertThat(others.parts(() -> 0, 0).waits())
                .isEqualTo(new PeerWaits(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(6)));
    }

    @Test
    void aFrameThatNobodyKnowsEndsItsPeerAlone() {
        MemoryLinks.Net net = new MemoryLinks.Net();
        MemoryLinks self = net.node("self", 3);
        net.join(self);
        for (byte[] frame : List.of(new byte[0], new byte[] {0}, new byte[] {99, 1})) {
            net.join(net.node("stranger", 1));
            net.join(net.node("friend", 1));
            Peer stranger = Objects.requireNonNull(self.peer("stranger"));
            others.control(stranger, frame);
            assertThat(self.peer("stranger")).isNull();
            assertThat(self.peer("friend")).isNotNull();
            net.kill("stranger");
            net.kill("friend");
        }
    }

    /** A start that is given up: nothing has been wired, and later steps are not done. */
    @Test
    void itMayBeLeftAndClosedAtAnyTimeAndTwice() {
        AtomicInteger run = new AtomicInteger();
        ClusterParts parts = others.parts(() -> 0, 0);
        parts.timers().after(Duration.ofMillis(200), run::incrementAndGet);
        others.leave();
        others.close();
        parts.timers().after(Duration.ZERO, run::incrementAndGet);
        others.leave();
        others.close();
        Await.holds("nothing is done later", Duration.ofMillis(400), () -> run.get() == 0);
    }

    @Test
    void closingDoesNotWaitForATaskThatIsBusy() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        others.parts(() -> 0, 0).timers().after(Duration.ZERO, () -> {
            begun.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
        });
        begun.await();
        others.close();
        interrupted.await(); // and it is told to end
    }
}
