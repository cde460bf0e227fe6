package io.godwit.cluster.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** The contract of links, for a network and for links in memory: two nodes, "a" and "b". */
public abstract class LinksContract {
    /** Records the outcome of a frame, such as "confirmed 1". */
    public record Fate(List<String> told, String frame) implements Peer.Confirmation {
        @Override
        public void confirmed() {
            told.add("confirmed " + frame);
        }

        @Override
        public void lost() {
            told.add("lost " + frame);
        }
    }

    /** Records the events of a node's listeners and receivers. */
    public static final class Heard implements LinkListener {
        public final List<String> events = new CopyOnWriteArrayList<>();
        public final List<String> frames = new CopyOnWriteArrayList<>();
        private volatile CountDownLatch goOn = new CountDownLatch(0);

        public Heard(Links links) {
            for (Lane lane : Lane.values()) {
                links.receive(lane, (from, frame) -> {
                    pause();
                    frames.add(lane + " " + new String(frame, StandardCharsets.UTF_8));
                });
            }
            links.addListener(this);
        }

        private void pause() {
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Makes receivers block until {@link #goOn}. */
        public void hold() {
            goOn = new CountDownLatch(1);
        }

        public void goOn() {
            goOn.countDown();
        }

        @Override
        public void silent(Peer peer) {
            events.add("silent " + peer.nodeId());
        }

        @Override
        public void joined(Peer peer) {
            events.add("joined " + peer.nodeId());
        }

        @Override
        public void disconnected(Peer peer) {
            events.add("disconnected " + peer.nodeId());
        }

        @Override
        public void reconnected(Peer peer) {
            events.add("reconnected " + peer.nodeId());
        }

        @Override
        public void over(Peer peer, String why) {
            events.add("over " + peer.nodeId());
        }
    }

    protected final List<String> told = new CopyOnWriteArrayList<>();

    /** A node that has not joined. */
    protected abstract Links node(String id) throws Exception;

    /** Links both nodes. */
    protected abstract void join() throws Exception;

    protected abstract void cut();

    protected abstract void mend();

    /** Runs pending work until the condition holds. */
    protected abstract void until(String what, BooleanSupplier condition);

    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Peer peer(Links links, String id) {
        Peer peer = links.peer(id);
        assertThat(peer).isNotNull();
        return peer;
    }

    @Test
    void framesArriveInOrderAndAreConfirmed() throws Exception {
        Links a = node("a");
        Heard atA = new Heard(a);
        Links b = node("b");
        Heard atB = new Heard(b);
        join();
        until("joined", () -> a.peer("b") != null && b.peer("a") != null && atB.events.size() == 1);
        assertThat(a.peers()).hasSize(1);
        List<String> expected = new ArrayList<>();
        List<String> confirmed = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            peer(a, "b").send(Lane.LIVE, bytes("" + i), new Fate(told, "" + i));
            peer(b, "a").send(Lane.INBOX_UP, bytes("" + i));
            expected.add("" + i);
            confirmed.add("confirmed " + i);
        }
        until("confirmed", () -> told.size() == 1_000 && atA.frames.size() == 1_000);
        assertThat(told).isEqualTo(confirmed);
        assertThat(atB.frames)
                .isEqualTo(expected.stream().map(each -> "LIVE " + each).toList());
        assertThat(atA.frames)
                .isEqualTo(expected.stream().map(each -> "INBOX_UP " + each).toList());
        assertThat(atA.events).containsExactly("joined b");
        assertThat(atB.events).containsExactly("joined a");
    }

    @Test
    void aBrokenConnectionDelaysFramesAndLosesNone() throws Exception {
        Links a = node("a");
        Heard atA = new Heard(a);
        Links b = node("b");
        Heard atB = new Heard(b);
        join();
        until("joined", () -> a.peer("b") != null && b.peer("a") != null);
        Peer peer = peer(a, "b");
        List<String> expected = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            String before = "before " + round;
            String meanwhile = "meanwhile " + round;
            peer.send(Lane.CONTROL, bytes(before), new Fate(told, before));
            cut();
            until("broken", () -> !peer.isConnected());
            peer.send(Lane.CONTROL, bytes(meanwhile), new Fate(told, meanwhile));
            mend();
            until("mended", peer::isConnected);
            expected.add("CONTROL " + before);
            expected.add("CONTROL " + meanwhile);
        }
        until("confirmed", () -> told.size() == 6);
        assertThat(atB.frames).isEqualTo(expected);
        assertThat(told).allMatch(each -> each.startsWith("confirmed"));
        assertThat(a.peer("b")).isSameAs(peer);
        until("reconnected", () -> atA.events.size() == 7);
        assertThat(atA.events)
                .startsWith("joined b", "disconnected b", "reconnected b")
                .doesNotContain("over b");
    }

    /** Connections break in the middle of large frames. */
    @Test
    void framesOfOneOrderArriveInOrderAndOnceWhateverPassesThem() throws Exception {
        Links a = node("a");
        new Heard(a);
        Links b = node("b");
        Map<Integer, List<Integer>> arrived = new ConcurrentHashMap<>();
        b.receive(Lane.LIVE, (from, frame) -> {
            ByteBuffer content = ByteBuffer.wrap(frame);
            arrived.computeIfAbsent(content.getInt(), none -> new CopyOnWriteArrayList<>())
                    .add(content.getInt());
        });
        join();
        until("joined", () -> a.peer("b") != null && b.peer("a") != null);
        Peer peer = peer(a, "b");
        Random random = new Random(7);
        Map<Integer, List<Integer>> expected = new TreeMap<>();
        int count = 300;
        for (int i = 0; i < count; i++) {
            int order = random.nextInt(5);
            int size = random.nextInt(10) == 0 ? 8 + random.nextInt(2 << 20) : 8;
            byte[] frame = ByteBuffer.allocate(size).putInt(order).putInt(i).array();
            expected.computeIfAbsent(order, none -> new ArrayList<>()).add(i);
            peer.send(Lane.LIVE, frame, order == 0 ? null : order, new Fate(told, "" + i));
            if (i % 60 == 59) {
                cut();
                until("broken", () -> !peer.isConnected());
                mend();
                until("mended", peer::isConnected);
            }
        }
        until("confirmed", () -> told.size() == count);
        assertThat(told).allMatch(each -> each.startsWith("confirmed"));
        assertThat(arrived).isEqualTo(expected);
    }

    @Test
    void anAbandonedPeerIsOverAtBothEnds() throws Exception {
        Links a = node("a");
        Heard atA = new Heard(a);
        Links b = node("b");
        Heard atB = new Heard(b);
        join();
        until("joined", () -> a.peer("b") != null && b.peer("a") != null);
        Peer peer = peer(a, "b");
        Peer otherEnd = peer(b, "a");
        cut();
        until("broken", () -> !peer.isConnected());
        peer.send(Lane.CONTROL, bytes("waits"), new Fate(told, "waits"));
        peer.abandon("for the test");
        mend();
        until("over", () -> atA.events.contains("over b") && atB.events.contains("over a"));
        until("lost", () -> told.equals(List.of("lost waits")));
        for (Peer each : List.of(peer, otherEnd)) {
            told.clear();
            each.send(Lane.CONTROL, bytes("late"), new Fate(told, "late"));
            assertThat(told).containsExactly("lost late");
            assertThat(each.isConnected()).isFalse();
        }
        assertThat(atB.frames).isEmpty();
        assertThat(b.peer("a")).isNotSameAs(otherEnd);
    }

    @Test
    void aFrameAboveTheLimitIsNotSentAndHarmsNoOther() throws Exception {
        Links a = node("a");
        new Heard(a);
        Links b = node("b");
        Heard atB = new Heard(b);
        join();
        until("joined", () -> a.peer("b") != null && b.peer("a") != null);
        Peer peer = peer(a, "b");
        byte[] large = new byte[peer.maxFrameBytes() + 1];
        assertThatThrownBy(() -> peer.send(Lane.LIVE, large)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> peer.send(Lane.LIVE, large, new Fate(told, "large")))
                .isInstanceOf(IllegalArgumentException.class);
        peer.send(Lane.LIVE, bytes("next"), new Fate(told, "next"));
        until("next", () -> told.equals(List.of("confirmed next")));
        assertThat(atB.frames).containsExactly("LIVE next");
    }

    /** A thread that sends or abandons may hold locks that listeners and receivers take. */
    @Test
    void callbacksDoNotRunInsideSendOrAbandon() throws Exception {
        Links a = node("a");
        new Heard(a);
        Links b = node("b");
        Object lock = new Object();
        List<Boolean> isWithin = new CopyOnWriteArrayList<>();
        for (Lane lane : Lane.values()) {
            b.receive(lane, (from, frame) -> {
                synchronized (lock) {
                    from.send(lane, bytes("before"));
                    from.abandon("for the test");
                    from.send(lane, bytes("behind"));
                }
            });
        }
        b.addListener(new LinkListener() {
            @Override
            public void over(Peer peer, String why) {
                isWithin.add(Thread.holdsLock(lock));
            }
        });
        join();
        until("joined", () -> a.peer("b") != null && b.peer("a") != null);
        peer(a, "b").send(Lane.LIVE, bytes("x"));
        until("over", () -> !isWithin.isEmpty());
        assertThat(isWithin).containsOnly(false);
    }

    /** A receiver whose consumer is behind must be able to delay the next frame. */
    @Test
    void aReceiverMayLetTheNextFrameOfALaneWait() throws Exception {
        Links a = node("a");
        Links b = node("b");
        List<String> live = new CopyOnWriteArrayList<>();
        List<String> control = new CopyOnWriteArrayList<>();
        CompletableFuture<Void> caughtUp = new CompletableFuture<>();
        b.receive(Lane.LIVE, LaneReceiver.paced((from, frame) -> {
            live.add(new String(frame, StandardCharsets.UTF_8));
            return live.size() == 3 ? caughtUp : LaneReceiver.READY;
        }));
        b.receive(Lane.CONTROL, (from, frame) -> control.add(new String(frame, StandardCharsets.UTF_8)));
        join();
        until("joined", () -> a.peer("b") != null);
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            expected.add(String.valueOf(i));
            peer(a, "b").send(Lane.LIVE, bytes(expected.get(i)), new Fate(told, expected.get(i)));
        }
        until("the third is confirmed", () -> told.size() == 3);
        peer(a, "b").send(Lane.CONTROL, bytes("c"), new Fate(told, "c"));
        until("another lane goes on", () -> told.size() == 4);
        assertThat(control).containsExactly("c");
        assertThat(live).isEqualTo(expected.subList(0, 3));
        cut(); // the next connection sends it again
        mend();
        caughtUp.completeExceptionally(new IllegalStateException("for the test"));
        until("all are confirmed", () -> told.size() == 11);
        assertThat(live).isEqualTo(expected);
    }
}
