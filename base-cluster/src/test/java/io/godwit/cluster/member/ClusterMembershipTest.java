package io.godwit.cluster.member;

import static io.godwit.cluster.TestNodes.await;
import static io.godwit.cluster.TestNodes.awaitMembers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.cluster.Cluster;
import io.godwit.cluster.TestNodes;
import io.godwit.cluster.TestNodes.Node;
import io.godwit.cluster.config.ClusterConfig;
import io.godwit.cluster.config.ClusterException;
import io.godwit.cluster.config.HostPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.DISCARD;
import org.jgroups.protocols.TCP;
import org.jgroups.protocols.VERIFY_SUSPECT2;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.stack.Protocol;
import org.jgroups.stack.ProtocolStack;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Several nodes in this process, with real sockets on loopback addresses. */
@Tag("slow")
class ClusterMembershipTest {

    /** Starting all at once is the hardest case: each node may take itself for the first. */
    @Test
    void anErrorOfATaskEndsNoRepetition() {
        Runnable task = ClusterMembership.guarded(() -> {
            throw new StackOverflowError();
        });
        assertThatCode(task::run).doesNotThrowAnyException();
    }

    @Test
    void nodesStartedTogetherBecomeOneCluster() throws Exception {
        try (TestNodes nodes = new TestNodes(3)) {
            List<Node> all = List.of(nodes.start(3), nodes.start(1), nodes.start(2));
            awaitMembers(all, "n1", "n2", "n3");
            for (Node node : all) {
                assertThat(node.member("n2"))
                        .isEqualTo(new Member(
                                "n2",
                                1,
                                new HostPort("127.0.0.2", nodes.port() + 1),
                                "1.0",
                                "test",
                                Map.of("zone", "z2")));
                node.cluster().membership().announce(Map.of("zone", "moved"));
            }
            await(
                    () -> all.stream()
                            .allMatch(node -> node.events().contains("updated n3 {zone=moved}")
                                    && node.member("n3").attributes().equals(Map.of("zone", "moved"))),
                    () -> all.toString());
            all.forEach(node -> node.cluster().membership().announceAlso("reads", "3"));
            await(
                    () -> all.stream()
                            .flatMap(node -> node.cluster().membership().members().stream())
                            .allMatch(member -> member.attributes().equals(Map.of("zone", "moved", "reads", "3"))),
                    () -> all.toString());
        }
    }

    /** Broken connections reveal a crash at once. */
    @Test
    void crashIsNoticedByBrokenConnectionsAndLeavingIsToldApart() throws Exception {
        try (TestNodes nodes = new TestNodes(3).withoutHeartbeats()) {
            Node first = nodes.start(1);
            Node second = nodes.start(2);
            Node third = nodes.start(3);
            awaitMembers(List.of(first, second, third), "n1", "n2", "n3");

            first.crash(); // it coordinates the group
            awaitMembers(List.of(second, third), "n2", "n3");
            awaitEvent(second, "CRASHED n1/1");
            awaitEvent(third, "CRASHED n1/1");

            second.cluster().close();
            awaitMembers(List.of(third), "n3");
            awaitEvent(third, "LEFT n2/1");
        }
    }

    /** Fail-over must not wait for the verification. */
    @Test
    void aCrashedMemberWhosePortRefusesIsGoneBeforeTheVerificationIsOver() throws Exception {
        try (TestNodes nodes = new TestNodes(2).withoutHeartbeats(600_000)) {
            Node first = nodes.start(1);
            Node second = nodes.start(2);
            awaitMembers(List.of(first, second), "n1", "n2");
            second.crash();
            awaitEvent(first, "CRASHED n2/1");
        }
    }

    /** The connection that carried the question broke, like the one before it. */
    @Test
    void aSuspectedMemberIsAskedAgainWhetherItLives() throws Exception {
        try (TestNodes nodes = new TestNodes(2).withoutHeartbeats(600_000)) {
            Node first = nodes.start(1);
            Node second = nodes.start(2);
            awaitMembers(List.of(first, second), "n1", "n2");
            LosesFirstQuestions lossy = new LosesFirstQuestions(3);
            ProtocolStack stack = channel(first).getProtocolStack();
            SuspectVerification verification = stack.findProtocol(SuspectVerification.class);
            stack.insertProtocol(lossy, ProtocolStack.Position.BELOW, SuspectVerification.class);

            MembershipStack.suspect(channel(first), channel(second).getAddress());
            await(
                    () -> lossy.left.get() < 0 && verification.getSuspects().equals("[]"),
                    () -> lossy.left + " " + verification.getSuspects());
            assertThat(first.events()).doesNotContain("CRASHED n2/1");
        }
    }

    private static final class LosesFirstQuestions extends Protocol {
        private final AtomicInteger left;

        LosesFirstQuestions(int questions) {
            left = new AtomicInteger(questions);
        }

        @Override
        public Object down(Message message) {
            boolean isQuestion = message.getHeader(ClassConfigurator.getProtocolId(VERIFY_SUSPECT2.class)) != null;
            return isQuestion && left.getAndDecrement() > 0 ? null : super.down(message);
        }
    }

    /**
     * The leaving node has told everybody and ends its connections normally, so neither the connections nor, for a long
     * time, silence reveal that it is gone.
     */
    @Test
    void aMemberThatHasLeftIsGoneThoughTheGroupNeverHeardItsRequest() throws Exception {
        try (TestNodes nodes = new TestNodes(2).withoutHeartbeats()) {
            Node first = nodes.start(1);
            Node second = nodes.start(2);
            awaitMembers(List.of(first, second), "n1", "n2");
            channel(second)
                    .getProtocolStack()
                    .insertProtocol(new LosesRequestsToLeave(), ProtocolStack.Position.BELOW, GMS.class);

            second.cluster().close();
            awaitMembers(List.of(first), "n1");
            awaitEvent(first, "LEFT n2/1");
        }
    }

    private static final class LosesRequestsToLeave extends Protocol {
        @Override
        public Object down(Message message) {
            GMS.GmsHeader header = message.getHeader(ClassConfigurator.getProtocolId(GMS.class));
            return header != null && header.getType() == GMS.GmsHeader.LEAVE_REQ ? null : super.down(message);
        }
    }

    /** Listeners are told right after the list of members has changed. */
    private static void awaitEvent(Node node, String event) {
        await(() -> node.events().contains(event), node.events()::toString);
    }

    @Test
    void otherEnvironmentNeverJoins() throws Exception {
        try (TestNodes nodes = new TestNodes(3)) {
            Node first = nodes.start(1);
            awaitMembers(List.of(first), "n1");
            Node foreign = nodes.env("other").start(2);
            awaitMembers(List.of(foreign), "n2");
            Node third = nodes.env("test").start(3);
            awaitMembers(List.of(first, third), "n1", "n3");
            // the foreign node asked the first one too, and would have been found like the third
            assertThat(foreign.ids()).containsExactly("n2");
            assertThat(first.events()).noneMatch(event -> event.contains("n2"));
        }
    }

    /** Connections stay up but carry nothing: only silence reveals the cut. */
    @Test
    void partsOfACutClusterMergeAgain() throws Exception {
        try (TestNodes nodes = new TestNodes(3)) {
            List<Node> all = List.of(nodes.start(1), nodes.start(2), nodes.start(3));
            awaitMembers(all, "n1", "n2", "n3");
            Node lost = all.get(0);
            DISCARD discard = new DISCARD().discardAll(true);
            channel(lost).getProtocolStack().insertProtocol(discard, ProtocolStack.Position.ABOVE, TCP.class);

            awaitMembers(all.subList(1, 3), "n2", "n3");
            awaitMembers(List.of(lost), "n1");
            awaitEvent(lost, "CRASHED n2/1");
            awaitEvent(lost, "CRASHED n3/1");

            channel(lost).getProtocolStack().removeProtocol(discard);
            awaitMembers(all, "n1", "n2", "n3");
            List<String> events = all.get(1).events(); // called a moment after the list of members has changed
            await(() -> String.join(", ", events).contains("CRASHED n1/1, joined n1/1"), events::toString);
        }
    }

    private static JChannel channel(Node node) {
        JChannel channel = node.cluster().membership().channel();
        assertThat(channel).isNotNull();
        return channel;
    }

    @Test
    void restartedNodeJoinsWhenItsOldProcessIsGone() throws Exception {
        try (TestNodes nodes = new TestNodes(2)) {
            Node first = nodes.start(1);
            Node old = nodes.start(2);
            awaitMembers(List.of(first, old), "n1", "n2");
            old.crash();
            // at once, so that the group has both for a moment; at another address, because the port is not free yet
            Node fresh = nodes.incarnation(2).start(3, "n2", null);
            awaitMembers(List.of(first, fresh), "n1", "n2");
            await(() -> first.member("n2").incarnation() == 2, first.events()::toString);
            awaitEvent(first, "joined n2/2");
            assertThat(first.events()).containsSubsequence("CRASHED n2/1", "joined n2/2");
        }
    }

    /** The second process has a copied data directory. */
    @Test
    void secondProcessOfALivingNodeIsKeptOut() throws Exception {
        try (TestNodes nodes = new TestNodes(2)) {
            Node first = nodes.start(1);
            Node second = nodes.start(2);
            awaitMembers(List.of(first, second), "n1", "n2");
            Node copy = nodes.incarnation(2).start(3, "n2", null);
            assertThatThrownBy(() -> copy.started().get(30, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(ClusterException.class)
                    .hasMessageContaining("n2 is in use by the node at 127.0.0.2");
            assertThat(first.member("n2").incarnation()).isEqualTo(1);
            assertThat(second.events()).noneMatch(event -> event.startsWith("superseded"));
        }
    }

    /** The name server knows nothing at first, then one of two addresses. */
    @Test
    void namesAreAskedForAgainUntilTheyResolve() throws Exception {
        AtomicBoolean known = new AtomicBoolean();
        SeedResolver.Names names = name -> {
            if (!known.get()) {
                throw new UnknownHostException(name);
            }
            return new InetAddress[] {TestNodes.address("127.0.0.1")};
        };
        try (TestNodes nodes = new TestNodes(1)) {
            Node first = nodes.start(1);
            Node second = nodes.start(2, "n2", null, nodes.config(2, "members.example", List.of()), names);
            awaitMembers(List.of(first), "n1");
            awaitMembers(List.of(second), "n2");
            known.set(true);
            awaitMembers(List.of(first, second), "n1", "n2");
        }
    }

    /** Like with an orchestrator that restarts nodes: only the name leads to the new address. */
    @Test
    void aNodeThatReturnsUnderANewAddressIsTheSameMember() throws Exception {
        AtomicReference<String> behind = new AtomicReference<>("127.0.0.1");
        SeedResolver.Names names = name -> new InetAddress[] {TestNodes.address(behind.get())};
        try (TestNodes nodes = new TestNodes(1)) {
            Node old = nodes.start(1);
            List<HostPort> byName = List.of(new HostPort("n1.example", nodes.port()));
            Node second = nodes.start(2, "n2", null, nodes.config(2, "", byName), names);
            awaitMembers(List.of(old, second), "n1", "n2");

            old.crash();
            awaitMembers(List.of(second), "n2");
            behind.set("127.0.0.3");
            // it knows no other node and must be found
            Node returned = nodes.incarnation(2).start(3, "n1", null, nodes.config(3, "", List.of()), names);

            awaitMembers(List.of(second, returned), "n1", "n2");
            assertThat(second.member("n1").rpc().host()).isEqualTo("127.0.0.3");
            await(() -> second.events().contains("joined n1/2"), second.events()::toString);
            assertThat(second.events()).containsSubsequence("CRASHED n1/1", "joined n1/2");
            await(() -> second.cluster().channels().isConnected("n1"), second.events()::toString);
        }
    }

    @Test
    void takenPortIsNamed() throws Exception {
        try (TestNodes nodes = new TestNodes(1)) {
            Node first = nodes.start(1);
            awaitMembers(List.of(first), "n1");
            ClusterConfig config = nodes.config(1, "", List.of());
            ClusterMembership second = new ClusterMembership(
                    config,
                    new NodeIdentity("n2", 1, "1.0", Map.of()),
                    null,
                    TestNodes.QUICK,
                    InetAddress::getAllByName);
            assertThatThrownBy(() -> second.start().get(30, TimeUnit.SECONDS))
                    .hasMessageContaining("127.0.0.1:" + nodes.port());
            second.close();
        }
    }

    @Test
    void hostThatDoesNotResolveIsNamed() {
        ClusterConfig config = new ClusterConfig(
                "", "no.such.host.invalid", 8_899, 8_900, "", List.of(), null, ClusterConfig.DEFAULT_MAX_MESSAGE_BYTES);
        assertThatThrownBy(() -> Cluster.open(config, new NodeIdentity("n1", 1, "1.0", Map.of())))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no.such.host.invalid");
    }
}
