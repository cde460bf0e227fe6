package io.godwit.cluster.rpc;

import static io.godwit.cluster.TestNodes.await;
import static io.godwit.cluster.TestNodes.awaitMembers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.cluster.TestNodes;
import io.godwit.cluster.TestNodes.Node;
import io.godwit.cluster.member.Departure;
import io.godwit.cluster.member.Member;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class RpcTest {

    @Test
    void membersCallEachOtherAlsoAfterARestart() throws Exception {
        try (TestNodes nodes = new TestNodes(2)) {
            Node first = nodes.start(1);
            List<String> connected = new CopyOnWriteArrayList<>();
            first.cluster().channels().onConnected(connected::add);
            Node second = nodes.start(2);
            second.cluster().server().add(EchoService.SERVICE);
            awaitMembers(List.of(first, second), "n1", "n2");
            await(() -> connected.equals(List.of("n2")), connected::toString);
            assertThat(first.cluster().channels().isConnected("n2")).isTrue();
            assertThat(first.cluster().channels().to("n1"))
                    .as("there is no channel to this node itself")
                    .isNull();
            assertThat(first.cluster().channels().to("n3"))
                    .as("there is no channel to an unknown node")
                    .isNull();

            byte[] large = new byte[5 << 20]; // above gRPC's default limit
            new Random(1).nextBytes(large);
            assertThat(EchoService.call(TestNodes.channel(first, "n2"), large)).isEqualTo(large);

            second.crash();
            awaitMembers(List.of(first), "n1");
            await(() -> !first.cluster().channels().isConnected("n2"), connected::toString);
            // the channel is kept, and the call fails at once and not at its deadline
            long called = System.nanoTime();
            assertThatThrownBy(() -> EchoService.call(TestNodes.channel(first, "n2"), new byte[1]))
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE));
            assertThat(System.nanoTime() - called).isLessThan(10_000_000_000L);

            Node restarted = nodes.incarnation(2).start(3, "n2", null);
            restarted.cluster().server().add(EchoService.SERVICE);
            await(() -> first.ids().equals(List.of("n1", "n2")), first.events()::toString);
            await(() -> connected.equals(List.of("n2", "n2")), connected::toString);
            assertThat(EchoService.call(TestNodes.channel(first, "n2"), large)).isEqualTo(large);
        }
    }

    /** Callers choose the version of their messages by it. */
    @Test
    void theAnnouncementOfAMemberIsTheLastOfItsNewestProcess() throws Exception {
        try (RpcMesh mesh = new RpcMesh(1 << 20)) {
            RpcChannels channels = mesh.start("a", node -> {}).channels();
            mesh.announcing(Map.of("versions", "1"));
            Member first = mesh.start("b", node -> {}).self();
            await(() -> first.equals(channels.member("b")), () -> "joined");
            assertThat(channels.member("a")).as("this node").isNull();

            Member later = announced(first, first.incarnation(), "2");
            channels.following().updated(later);
            await(() -> later.equals(channels.member("b")), () -> "updated");

            Member restarted = announced(first, first.incarnation() + 1, "3");
            Channel before = channels.to("b");
            channels.following().joined(restarted);
            channels.following().updated(announced(first, first.incarnation(), "4")); // of the process before
            await(() -> restarted.equals(channels.member("b")), () -> "restarted");
            assertThat(channels.to("b")).as("at the same address").isSameAs(before);

            channels.following().gone(restarted, Departure.LEFT);
            await(() -> channels.member("b") == null, () -> "left");
        }
    }

    private static Member announced(Member member, long incarnation, String versions) {
        return new Member(
                member.nodeId(),
                incarnation,
                member.rpc(),
                member.version(),
                member.env(),
                Map.of("versions", versions));
    }

    /** After a cut, TCP may wait a long time before it sends again. */
    @Test
    void aMemberThatIsBackIsConnectedAnew() throws Exception {
        try (RpcMesh mesh = new RpcMesh(1 << 20)) {
            RpcMesh.Node a = mesh.start("a", node -> {});
            RpcMesh.Node b = mesh.start("b", node -> {});
            RpcChannels channels = a.channels();
            await(() -> channels.isConnected("b"), () -> "connected");
            Channel before = channels.to("b");
            channels.following().joined(b.self());
            mesh.start("c", node -> {});
            await(() -> channels.to("c") != null, () -> "it has come to that");
            assertThat(channels.to("b"))
                    .as("the channel stays the same, because b has not left")
                    .isSameAs(before);

            channels.following().gone(b.self(), Departure.CRASHED);
            channels.following().joined(b.self());
            await(() -> channels.to("b") != before && channels.isConnected("b"), () -> "connected anew");
        }
    }

    @Test
    void channelOfAMemberThatLeftIsGone() throws Exception {
        try (TestNodes nodes = new TestNodes(2)) {
            Node first = nodes.start(1);
            Node second = nodes.start(2);
            awaitMembers(List.of(first, second), "n1", "n2");
            await(() -> first.cluster().channels().isConnected("n2"), first.events()::toString);
            second.cluster().close();
            await(() -> first.cluster().channels().to("n2") == null, first.events()::toString);
            await(() -> first.events().contains("LEFT n2/1"), first.events()::toString);
        }
    }
}
