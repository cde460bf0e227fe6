package io.godwit.cluster.link.contact;

import static io.godwit.cluster.link.contact.LinkedNodes.awaitPeer;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.LinkSettings;
import io.godwit.cluster.link.LinkStats;
import io.godwit.cluster.link.Links;
import io.godwit.cluster.link.LinksContract;
import io.godwit.cluster.link.Peer;
import io.godwit.testing.Await;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PeerLinksTest extends LinksContract {
    private LinkedNodes nodes = new LinkedNodes();

    @AfterEach
    void closeNodes() {
        nodes.close();
    }

    @Override
    protected Links node(String id) throws Exception {
        return nodes.open(id);
    }

    @Override
    protected void join() {
        nodes.join("a");
        nodes.join("b");
    }

    @Override
    protected void cut() {
        nodes.cut("a", "b");
    }

    @Override
    protected void mend() {
        nodes.mend("a", "b");
    }

    @Override
    protected void until(String what, BooleanSupplier condition) {
        Await.until(what, condition::getAsBoolean);
    }

    @Test
    void threeNodesAreLinkedEachToEach() throws Exception {
        List<String> ids = List.of("a", "b", "c");
        for (String id : ids) {
            new Heard(nodes.open(id));
        }
        nodes.join("c");
        nodes.join("a");
        nodes.join("b");
        PeerLinks d = nodes.open("d");
        Heard atD = new Heard(d);
        nodes.join("d");
        for (String id : ids) {
            awaitPeer(d, id).send(Lane.CONTROL, bytes("from d"), new Fate(told, id));
        }
        Await.until("confirmed", () -> told.size() == 3);
        assertThat(told).containsExactlyInAnyOrder("confirmed a", "confirmed b", "confirmed c");
        assertThat(atD.events).containsExactlyInAnyOrder("joined a", "joined b", "joined c");
    }

    @Test
    void anotherLifeOfANodeIsAnotherPeer() throws Exception {
        PeerLinks a = nodes.open("a");
        Heard atA = new Heard(a);
        new Heard(nodes.open("b"));
        join();
        Peer first = awaitPeer(a, "b");
        nodes.kill("b");
        Await.until("broken", () -> !first.isConnected());
        first.send(Lane.LIVE, bytes("for the dead"), new Fate(told, "1"));
        assertThat(told).isEmpty();

        Heard atSecond = new Heard(nodes.open("b"));
        nodes.join("b");
        Await.until("over", () -> atA.events.contains("over b"));
        assertThat(told).containsExactly("lost 1");
        Peer second = awaitPeer(a, "b");
        assertThat(second.incarnation()).isGreaterThan(first.incarnation());
        second.send(Lane.LIVE, bytes("for the living"), new Fate(told, "2"));
        Await.until("confirmed", () -> told.contains("confirmed 2"));
        assertThat(atSecond.frames).containsExactly("LIVE for the living");
        assertThat(atA.events).containsExactly("joined b", "disconnected b", "over b", "joined b");
    }

    @Test
    void aNodeThatHasLeftIsOverAtOnce() throws Exception {
        PeerLinks a = nodes.open("a");
        Heard atA = new Heard(a);
        new Heard(nodes.open("b"));
        join();
        awaitPeer(a, "b");
        nodes.left("b");
        Await.until("over", () -> atA.events.equals(List.of("joined b", "over b")));
        Await.until("forgotten", () -> a.stats().isEmpty());
    }

    @Test
    void silenceEndsAPeerAtBothEnds() throws Exception {
        PeerLinks a = nodes.open("a");
        Heard atA = new Heard(a);
        PeerLinks b = nodes.open("b");
        Heard atB = new Heard(b);
        join();
        Peer peer = awaitPeer(a, "b");
        Peer otherEnd = awaitPeer(b, "a");
        cut();
        Await.until("broken", () -> !peer.isConnected() && !otherEnd.isConnected());
        nodes.pass(TimeUnit.SECONDS.toNanos(15));
        peer.send(Lane.CONTROL, bytes("1"), new Fate(told, "1"));
        a.tick();
        b.tick();
        assertThat(told).isEmpty();
        nodes.pass(TimeUnit.SECONDS.toNanos(6));
        Await.until("over", () -> atA.events.contains("over b") && atB.events.contains("over a"));
        assertThat(atA.events).containsSubsequence("silent b", "over b");
        assertThat(atA.events).filteredOn(event -> event.startsWith("silent")).hasSize(1);
        assertThat(told).containsExactly("lost 1");
        assertThat(a.peer("b")).isNull();
        mend();
        assertThat(awaitPeer(a, "b")).isNotSameAs(peer);
        assertThat(awaitPeer(b, "a").incarnation()).isEqualTo(otherEnd.incarnation());
    }

    /** A lock orders two threads: the frame sent first arrives first. */
    @Test
    void sendsOfTwoThreadsArriveInTheOrderTheyHappenedIn() throws Exception {
        PeerLinks a = nodes.open("a");
        new Heard(a);
        Heard atB = new Heard(nodes.open("b"));
        join();
        Peer peer = awaitPeer(a, "b");
        int count = 2_000;
        List<String> sent = new ArrayList<>();
        Runnable sender = () -> {
            for (int i = 0; i < count; i++) {
                synchronized (sent) {
                    peer.send(Lane.INBOX_UP, bytes("" + sent.size()));
                    sent.add("INBOX_UP " + sent.size());
                }
            }
        };
        Thread other = new Thread(sender);
        other.start();
        sender.run();
        other.join();
        Await.until("arrived", () -> atB.frames.size() == 2 * count);
        assertThat(atB.frames).isEqualTo(sent);
    }

    @Test
    void whatWaitsIsBounded() throws Exception {
        nodes.close();
        nodes = new LinkedNodes(LinkSettings.of("test").withBytes(1 << 20, 2 << 20), 1 << 20);
        PeerLinks a = nodes.open("a");
        Heard atA = new Heard(a);
        new Heard(nodes.open("b"));
        join();
        Peer peer = awaitPeer(a, "b");
        assertThat(peer.isWritable(Lane.LIVE)).isTrue();
        cut();
        Await.until("broken", () -> !peer.isConnected());
        for (int i = 0; i < 4; i++) {
            peer.send(Lane.LIVE, new byte[512 << 10], new Fate(told, "" + i));
        }
        assertThat(peer.isWritable(Lane.LIVE)).isFalse();
        assertThat(peer.isWritable(Lane.CONTROL)).isTrue();
        assertThat(told).isEmpty();
        peer.send(Lane.LIVE, new byte[1], new Fate(told, "4")); // the charge per frame alone exceeds the bound
        Await.until("over", () -> atA.events.contains("over b"));
        assertThat(told).containsExactly("lost 0", "lost 1", "lost 2", "lost 3", "lost 4");
    }

    /** A single frame may be larger than the bound. */
    @Test
    void passableFramesHaveTheirOwnBound() throws Exception {
        nodes.close();
        nodes = new LinkedNodes(LinkSettings.of("test").withBytes(1 << 20, 2 << 20), 4 << 20);
        PeerLinks a = nodes.open("a");
        Heard atA = new Heard(a);
        new Heard(nodes.open("b"));
        join();
        Peer peer = awaitPeer(a, "b");
        cut();
        Await.until("broken", () -> !peer.isConnected());
        peer.send(Lane.LIVE, new byte[3 << 20], "one", new Fate(told, "large"));
        assertThat(peer.isWritable(Lane.LIVE, 1)).isTrue();
        peer.send(Lane.LIVE, new byte[1], "two", new Fate(told, "small"));
        peer.send(Lane.LIVE, new byte[3 << 20], "one", new Fate(told, "next"));
        assertThat(a.peer("b")).isSameAs(peer);
        assertThat(peer.isWritable(Lane.LIVE, 1))
                .as("the queues are full, although the caller asks for a small size")
                .isFalse();
        peer.send(Lane.LIVE, new byte[1], "two", new Fate(told, "last"));
        Await.until("over", () -> atA.events.contains("over b"));
        assertThat(told).containsExactly("lost large", "lost small", "lost next", "lost last");
    }

    @Test
    void aLargeFrameDelaysNoOtherLane() throws Exception {
        PeerLinks a = nodes.open("a");
        PeerLinks b = nodes.open("b");
        byte[] large = new byte[20 << 20];
        new Random(1).nextBytes(large);
        List<String> arrived = new CopyOnWriteArrayList<>();
        b.receive(Lane.LIVE, (from, frame) -> arrived.add(Arrays.equals(frame, large) ? "large" : "damaged"));
        b.receive(Lane.CONTROL, (from, frame) -> arrived.add("small"));
        join();
        Peer peer = awaitPeer(a, "b");
        peer.send(Lane.LIVE, large, new Fate(told, "large"));
        peer.send(Lane.CONTROL, bytes("small"), new Fate(told, "small"));
        Await.until("confirmed", () -> told.size() == 2);
        assertThat(arrived).containsExactly("small", "large");
        LinkStats stats = a.stats().stream()
                .filter(each -> each.lane() == Lane.LIVE)
                .findFirst()
                .orElseThrow();
        assertThat(stats.sentBytes()).isEqualTo(large.length);
        assertThat(stats.sentFrames()).isEqualTo(1);
        assertThat(stats.unconfirmedBytes()).isZero();
        assertThat(stats.roundTripNanos()).isPositive();
    }

    @Test
    void aLargeFrameDelaysNoOtherOrderOfItsLane() throws Exception {
        PeerLinks a = nodes.open("a");
        PeerLinks b = nodes.open("b");
        byte[] large = new byte[20 << 20];
        new Random(1).nextBytes(large);
        List<String> arrived = new CopyOnWriteArrayList<>();
        b.receive(
                Lane.LIVE,
                (from, frame) -> arrived.add(
                        frame.length < 10 ? new String(frame, UTF_8) : Arrays.equals(frame, large) ? "large" : "bad"));
        join();
        Peer peer = awaitPeer(a, "b");
        cut();
        Await.until("broken", () -> !peer.isConnected());
        peer.send(Lane.LIVE, large, "one", new Fate(told, "large"));
        assertThat(peer.isWritable(Lane.LIVE)).isFalse();
        assertThat(peer.isWritable(Lane.LIVE, large.length)).isFalse();
        assertThat(peer.isWritable(Lane.LIVE, 100)).isTrue();
        peer.send(Lane.LIVE, bytes("same"), "one", new Fate(told, "same"));
        peer.send(Lane.LIVE, bytes("other"), "two", new Fate(told, "other"));
        peer.send(Lane.LIVE, bytes("strict"), new Fate(told, "strict"));
        peer.send(Lane.LIVE, bytes("behind"), "three", new Fate(told, "behind"));
        mend();
        Await.until("confirmed", () -> told.size() == 5);
        assertThat(arrived).containsExactly("other", "large", "same", "strict", "behind");
        assertThat(told)
                .containsExactly(
                        "confirmed other", "confirmed large", "confirmed same", "confirmed strict", "confirmed behind");
        LinkStats stats = a.stats().stream()
                .filter(each -> each.lane() == Lane.LIVE)
                .findFirst()
                .orElseThrow();
        assertThat(stats.sentFrames()).isEqualTo(5);
        assertThat(stats.unconfirmedBytes()).isZero();
        assertThat(peer.isWritable(Lane.LIVE, large.length)).isTrue();
    }

    @Test
    void aSlowReceiverDelaysNoOtherLane() throws Exception {
        PeerLinks a = nodes.open("a");
        PeerLinks b = nodes.open("b");
        CountDownLatch goOn = new CountDownLatch(1);
        b.receive(Lane.LIVE, (from, frame) -> {
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        b.receive(Lane.CONTROL, (from, frame) -> {});
        join();
        Peer peer = awaitPeer(a, "b");
        try {
            peer.send(Lane.LIVE, bytes("slow"), new Fate(told, "slow"));
            peer.send(Lane.CONTROL, bytes("quick"), new Fate(told, "quick"));
            Await.until("confirmed", () -> told.equals(List.of("confirmed quick")));
        } finally {
            goOn.countDown();
        }
        Await.until("confirmed", () -> told.equals(List.of("confirmed quick", "confirmed slow")));
    }

    /** A node that does not confirm in time is excluded, however busy its live sessions are. */
    @Test
    void controlIsReceivedWhileTheThreadsOfAllOtherLanesAreBusy() throws Exception {
        PeerLinks a = nodes.open("a");
        PeerLinks b = nodes.open("b");
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch heard = new CountDownLatch(1);
        CountDownLatch busy = new CountDownLatch(2);
        List<Lane> others = List.of(Lane.LIVE, Lane.INBOX_UP, Lane.INBOX_DOWN);
        for (Lane lane : others) {
            b.receive(lane, (from, frame) -> {
                busy.countDown();
                try {
                    goOn.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
        }
        b.receive(Lane.CONTROL, (from, frame) -> heard.countDown());
        join();
        Peer peer = awaitPeer(a, "b");
        try {
            others.forEach(lane -> peer.send(lane, bytes("slow")));
            assertThat(busy.await(10, TimeUnit.SECONDS)).isTrue();
            peer.send(Lane.CONTROL, bytes("quick"));
            assertThat(heard.await(10, TimeUnit.SECONDS)).isTrue();
        } finally {
            goOn.countDown();
        }
    }

    @Test
    void aReceiverThatFailsEndsThePeer() throws Exception {
        failingReceiverEndsThePeer(() -> {
            throw new IllegalStateException("for the test");
        });
    }

    @Test
    void anErrorOfAReceiverEndsThePeerAtBothEndsAndTheyMeetAgain() throws Exception {
        failingReceiverEndsThePeer(() -> {
            throw new StackOverflowError("for the test");
        });
    }

    private void failingReceiverEndsThePeer(Runnable failing) throws Exception {
        PeerLinks a = nodes.open("a");
        Heard atA = new Heard(a);
        PeerLinks b = nodes.open("b");
        b.receive(Lane.LIVE, (from, frame) -> failing.run());
        join();
        Peer first = awaitPeer(a, "b");
        first.send(Lane.LIVE, bytes("1"), new Fate(told, "1"));
        Await.until("over", () -> atA.events.contains("over b"));
        assertThat(told).containsExactly("lost 1");
        Await.until("met again", () -> a.peer("b") != null && a.peer("b") != first);
    }
}
