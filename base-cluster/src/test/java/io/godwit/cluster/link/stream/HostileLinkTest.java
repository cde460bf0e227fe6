package io.godwit.cluster.link.stream;

import static io.godwit.cluster.link.contact.LinkedNodes.awaitPeer;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.LinkSettings;
import io.godwit.cluster.link.LinksContract;
import io.godwit.cluster.link.Peer;
import io.godwit.cluster.link.connection.Handshake;
import io.godwit.cluster.link.contact.LinkedNodes;
import io.godwit.cluster.link.contact.PeerLinks;
import io.godwit.cluster.link.message.LinkMessage;
import io.godwit.cluster.link.message.LinkVersions;
import io.godwit.cluster.link.wire.Answer;
import io.godwit.cluster.link.wire.Hello;
import io.godwit.cluster.member.Member;
import io.godwit.cluster.rpc.RpcMesh;
import io.godwit.testing.Await;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A member "a" that breaks the protocol of links towards a node "b", which is also linked to "c". */
class HostileLinkTest {
    private static final int MAX_FRAME_BYTES = 1 << 20;

    private final LinkedNodes nodes =
            new LinkedNodes(LinkSettings.of("test").withBytes(64 << 10, 4 << 20), MAX_FRAME_BYTES);
    private final Recorded recorded = new Recorded();
    private RpcMesh.Node hostile;
    private LinksContract.Heard atB;
    private PeerLinks b;
    private Peer honest;
    private long session;

    /** Records the events of a stream. */
    private static final class Recorded implements LinkStream.Events {
        private final List<byte[]> messages = new CopyOnWriteArrayList<>();
        private volatile boolean isClosed;

        @Override
        public void received(byte[] message) {
            messages.add(message);
        }

        @Override
        public void writable() {}

        @Override
        public void closed(String why) {
            isClosed = true;
        }
    }

    @BeforeEach
    void startNodes() throws Exception {
        b = nodes.open("b");
        atB = new LinksContract.Heard(b);
        PeerLinks c = nodes.open("c");
        new LinksContract.Heard(c);
        nodes.join("b");
        nodes.join("c");
        hostile = nodes.stranger("a");
        honest = awaitPeer(b, "c");
    }

    @AfterEach
    void closeNodes() {
        nodes.close();
    }

    private Hello hello() {
        Member self = hostile.self();
        long[] first = new long[Lane.values().length];
        Arrays.fill(first, 1);
        return new Handshake("a", self.incarnation(), LinkSettings.of("test"), LinkVersions.CURRENT, MAX_FRAME_BYTES)
                .hello("b", nodes.member("b").incarnation(), ++session, 1, first);
    }

    private LinkStream dial() {
        recorded.messages.clear();
        recorded.isClosed = false;
        AtomicReference<LinkStream> dialed = new AtomicReference<>();
        Await.until("a channel", () -> {
            dialed.set(GrpcLinks.dial(hostile.channels().to("b"), () -> null, recorded));
            return dialed.get() != null;
        });
        return dialed.get();
    }

    /** Makes a pairing between the hostile node and b. */
    private LinkStream linked() throws Exception {
        LinkStream stream = dial();
        stream.send(LinkMessage.encode(hello()));
        Await.until("answer", () -> !recorded.messages.isEmpty());
        assertThat(LinkMessage.answer(recorded.messages.get(0)).hasAccepted()).isTrue();
        Await.until("joined", () -> b.peer("a") != null);
        return stream;
    }

    private static byte[] data(int lane, long sequence, int head, int bytes) {
        return ByteBuffer.allocate(LinkMessage.DATA_HEAD_BYTES + LinkMessage.FRAME_HEAD_BYTES + bytes)
                .put((byte) LinkMessage.VERSION)
                .put(LinkMessage.DATA)
                .put((byte) lane)
                .putLong(sequence)
                .putInt(head)
                .array();
    }

    private static byte[] piece(long sequence, int frameBytes, int offset, int bytes) {
        return ByteBuffer.allocate(LinkMessage.PIECE_HEAD_BYTES + bytes)
                .put((byte) LinkMessage.VERSION)
                .put(LinkMessage.PIECE)
                .put((byte) Lane.LIVE.number())
                .putLong(sequence)
                .putInt(frameBytes)
                .putInt(offset)
                .array();
    }

    private static byte[] ofFormerVersion(byte[] message) {
        message[0] = 1;
        return message;
    }

    private static byte[] confirmed(int lane, long upTo) {
        return ByteBuffer.allocate(LinkMessage.HEAD_BYTES + 9)
                .put((byte) LinkMessage.VERSION)
                .put(LinkMessage.CONFIRMED)
                .put((byte) lane)
                .putLong(upTo)
                .array();
    }

    private void checkOthersAreWell() {
        List<String> told = new CopyOnWriteArrayList<>();
        assertThat(b.peer("c")).isSameAs(honest);
        honest.send(Lane.INBOX_UP, new byte[1], new LinksContract.Fate(told, "1"));
        Await.until("confirmed", () -> told.equals(List.of("confirmed 1")));
    }

    @Test
    void aViolationOfTheProtocolEndsOnlyItsPairing() throws Exception {
        List<byte[]> attacks = new ArrayList<>(List.of(
                new byte[0],
                new byte[1],
                new byte[] {1, 77},
                new byte[] {9, LinkMessage.DATA, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0},
                LinkMessage.encode(hello()),
                data(9, 1, 1, 1),
                data(1, 2, 1, 1),
                data(1, 0, 1, 1),
                data(1, -1, 1, 1),
                data(1, 1, Integer.MAX_VALUE, 1),
                data(1, 1, -1, 1),
                data(1, 1, LinkMessage.MORE, 0),
                data(1, 1, LinkMessage.MORE | 1, 2),
                data(1, 1, 5, 4),
                Arrays.copyOf(data(1, 1, 0, 0), LinkMessage.DATA_HEAD_BYTES),
                Arrays.copyOf(data(1, 1, 0, 0), LinkMessage.DATA_HEAD_BYTES + 3),
                new byte[LinkMessage.MAX_BYTES + 1],
                piece(0, 2, 0, 0),
                piece(0, 2, 1, 1),
                piece(0, 2, -1, 1),
                piece(0, 1, 0, 2),
                piece(0, 0, 0, 1),
                piece(0, -1, 0, 1),
                piece(0, Integer.MIN_VALUE, Integer.MAX_VALUE, 1),
                piece(0, MAX_FRAME_BYTES + 1, 0, 1),
                piece(0, Integer.MAX_VALUE, 0, 1),
                piece(1, 2, 0, 1),
                piece(0, 1, 0, 1),
                piece(2, 1, 0, 1),
                piece(-1, 1, 0, 1),
                ofFormerVersion(piece(0, 2, 0, 1)),
                confirmed(1, 1),
                confirmed(1, Long.MAX_VALUE),
                confirmed(0, 1),
                Arrays.copyOf(confirmed(1, 1), 7)));
        for (byte[] attack : attacks) {
            LinkStream stream = linked();
            Peer peer = b.peer("a");
            stream.send(attack);
            Await.until(() -> "over after " + Arrays.toString(attack), Await.PATIENCE, () -> b.peer("a") != peer);
            Await.until("closed", () -> recorded.isClosed);
        }
        checkOthersAreWell();
        assertThat(atB.frames).isEmpty();
    }

    @Test
    void aFrameInPiecesIsBounded() throws Exception {
        LinkStream stream = linked();
        for (int i = 0; i <= MAX_FRAME_BYTES / LinkMessage.BATCH_BYTES; i++) {
            stream.send(data(2, 1, LinkMessage.MORE | LinkMessage.BATCH_BYTES, LinkMessage.BATCH_BYTES));
        }
        Await.until("over", () -> b.peer("a") == null);
        checkOthersAreWell();
    }

    /** Each message is valid alone, but not after the messages before it. */
    @Test
    void twoFramesInPiecesAtATimeEndThePairing() throws Exception {
        List<List<byte[]>> attacks = List.of(
                List.of(piece(0, 3, 0, 1), piece(0, 3, 0, 1)),
                List.of(piece(0, 3, 0, 1), piece(0, 4, 1, 1)),
                List.of(piece(0, 3, 0, 1), piece(0, 3, 2, 1)),
                List.of(piece(0, 3, 0, 1), piece(2, 3, 1, 2)),
                List.of(piece(0, 3, 0, 1), data(2, 2, 1, 1)),
                List.of(piece(0, 3, 0, 1), data(2, 1, LinkMessage.MORE | 1, 1)),
                List.of(data(2, 1, LinkMessage.MORE | 1, 1), piece(0, 3, 0, 1)),
                List.of(data(2, 1, LinkMessage.MORE | 1, 1), piece(0, 3, 1, 1)));
        for (List<byte[]> attack : attacks) {
            LinkStream stream = linked();
            Peer peer = b.peer("a");
            attack.forEach(stream::send);
            Await.until(() -> "over after " + attacks.indexOf(attack), Await.PATIENCE, () -> b.peer("a") != peer);
            Await.until("closed", () -> recorded.isClosed);
        }
        checkOthersAreWell();
        assertThat(atB.frames).isEmpty();
    }

    @Test
    void aHelloThatNamesNoMemberOrAnotherPurposeIsRefused() throws Exception {
        List<UnaryOperator<Hello.Builder>> changes = List.of(
                hello -> hello.setNodeId("aa"),
                hello -> hello.setNodeId(""),
                hello -> hello.setNodeId("b"),
                hello -> hello.setNodeId("c").setIncarnation(nodes.member("c").incarnation()),
                hello -> hello.setIncarnation(hello.getIncarnation() + 1),
                hello -> hello.setIncarnation(-1),
                hello -> hello.setToNodeId("c"),
                hello -> hello.setToIncarnation(hello.getToIncarnation() + 1),
                hello -> hello.setClusterId("another"),
                hello -> hello.setSession(0),
                hello -> hello.setSession(Long.MAX_VALUE),
                hello -> hello.setLeastVersion(3).setMostVersion(4),
                hello -> hello.setLeastVersion(0).setMostVersion(0),
                hello -> hello.setLeastVersion(-1).setMostVersion(-1),
                hello -> hello.setLeastVersion(-1).setMostVersion(1),
                hello -> hello.setLeastVersion(1).setMostVersion(0),
                hello -> hello.setLeastVersion(Integer.MAX_VALUE).setMostVersion(1),
                hello -> hello.setLeastPayload(2).setMostPayload(Integer.MAX_VALUE),
                hello -> hello.setLeastPayload(0).setMostPayload(1),
                hello -> hello.setLeastPayload(1).setMostPayload(0),
                hello -> hello.setLeastPayload(-1).setMostPayload(-1),
                hello -> hello.setLeastPayload(-1).setMostPayload(1));
        for (UnaryOperator<Hello.Builder> change : changes) {
            LinkStream stream = dial();
            stream.send(LinkMessage.encode(change.apply(hello().toBuilder()).build()));
            Await.until("closed", () -> recorded.isClosed);
            Answer answer = LinkMessage.answer(recorded.messages.get(0));
            assertThat(answer.getRefused().getWords()).isNotEmpty();
        }
        assertThat(atB.events).containsExactly("joined c");
        checkOthersAreWell();
    }

    @Test
    void aHelloThatIsDamagedEndsItsStream() throws Exception {
        List<byte[]> attacks = List.of(
                new byte[0],
                new byte[] {0, 1, -1, -1, -1},
                new byte[] {0, 2},
                new byte[1 << 20],
                LinkMessage.encode(hello().toBuilder().clearReceives().build()),
                LinkMessage.encode(hello().toBuilder()
                        .setReceives(hello().getReceives().toBuilder().setWindowBytes(0))
                        .build()),
                LinkMessage.encode(accepting(1)),
                LinkMessage.encode(accepting(-1)),
                LinkMessage.encode(accepting(Long.MIN_VALUE)));
        for (byte[] attack : attacks) {
            dial().send(attack);
            Await.until("closed", () -> recorded.isClosed);
        }
        assertThat(atB.events).containsExactly("joined c");
        checkOthersAreWell();
    }

    private Hello accepting(long frameBytes) {
        Hello hello = hello();
        return hello.toBuilder()
                .setReceives(hello.getReceives().toBuilder().setMaxFrameBytes(frameBytes))
                .build();
    }

    /** Huge numbers must not make this end send more than otherwise. */
    @Test
    void hugeNumbersDoNoHarm() throws Exception {
        LinkStream stream = dial();
        stream.send(LinkMessage.encode(accepting(Long.MAX_VALUE).toBuilder()
                .setMostVersion(-1)
                .setMostPayload(-1)
                .build()));
        Await.until("answer", () -> !recorded.messages.isEmpty());
        Answer answer = LinkMessage.answer(recorded.messages.get(0));
        assertThat(answer.getAccepted().getVersion()).isEqualTo(2);
        assertThat(answer.getAccepted().getPayloadVersion()).isEqualTo(1);
        Await.until("joined", () -> b.peer("a") != null);
        Peer peer = Objects.requireNonNull(b.peer("a"));
        assertThat(peer.maxFrameBytes()).isEqualTo(MAX_FRAME_BYTES);
        assertThat(peer.version()).isEqualTo(1);
        checkOthersAreWell();
    }

    /** The versions of a process never change, so this must be another process. */
    @Test
    void aPairingThatGoesOnWithAnotherAgreementIsOver() throws Exception {
        Hello first = hello();
        dial().send(LinkMessage.encode(first));
        Await.until("joined", () -> b.peer("a") != null);
        Peer peer = Objects.requireNonNull(b.peer("a"));
        dial().send(LinkMessage.encode(first.toBuilder()
                .setAttempt(2)
                .setReceives(first.getReceives().toBuilder().setMaxFrameBytes(LinkSettings.LEAST_FRAME_BYTES))
                .build()));
        Await.until("over", () -> b.peer("a") != peer);
        checkOthersAreWell();
    }

    /** A stream is anonymous until its hello. */
    @Test
    void streamsThatDoNotBeginAreClosed() throws Exception {
        for (int i = 0; i < 200; i++) {
            dial();
        }
        Await.until("closed", () -> recorded.isClosed);
        checkOthersAreWell();
    }

    @Test
    void aPairingThatIsOverIsRefused() throws Exception {
        LinkStream stream = linked();
        Peer peer = Objects.requireNonNull(b.peer("a"));
        peer.abandon("for the test");
        Await.until("told", () -> recorded.isClosed);
        byte[] last = recorded.messages.get(recorded.messages.size() - 1);
        assertThat(LinkMessage.kind(last, LinkVersions.CURRENT.layout())).isEqualTo(LinkMessage.END);
        assertThat(LinkMessage.why(last)).isEqualTo("for the test");
        stream.cancel("done");

        session--;
        LinkStream again = dial();
        again.send(LinkMessage.encode(hello().toBuilder().setAttempt(7).build()));
        Await.until("refused", () -> recorded.isClosed);
        assertThat(LinkMessage.answer(recorded.messages.get(0)).getRefused().getWords())
                .isEqualTo("this pairing is over");
        linked();
        assertThat(b.peer("a")).isNotSameAs(peer);
    }

    /** The stream was delayed; the newest one stays. */
    @Test
    void anEarlierStreamDoesNotTakeThePlaceOfALaterOne() throws Exception {
        Hello first = hello();
        LinkStream newest = dial();
        newest.send(LinkMessage.encode(first.toBuilder().setAttempt(2).build()));
        Await.until("joined", () -> b.peer("a") != null);
        Peer peer = Objects.requireNonNull(b.peer("a"));
        Recorded late = new Recorded();
        Objects.requireNonNull(GrpcLinks.dial(hostile.channels().to("b"), () -> null, late))
                .send(LinkMessage.encode(first));
        Await.until("refused", () -> late.isClosed);
        assertThat(LinkMessage.answer(late.messages.get(0)).hasRefused()).isTrue();
        assertThat(recorded.isClosed).isFalse();
        newest.send(data(1, 1, 1, 1));
        Await.until("received", () -> atB.frames.size() == 1);
        assertThat(b.peer("a")).isSameAs(peer);
    }

    /** The receiver is slow, and the sender ignores the window. */
    @Test
    void whatWaitsForASlowReceiverIsBounded() throws Exception {
        LinkStream stream = linked();
        atB.hold();
        try {
            Peer peer = b.peer("a");
            for (int i = 1; i < 100; i++) {
                stream.send(data(1, i, LinkMessage.BATCH_BYTES, LinkMessage.BATCH_BYTES));
            }
            Await.until("over", () -> b.peer("a") != peer);
        } finally {
            atB.goOn();
        }
        assertThat(atB.frames).hasSizeLessThanOrEqualTo(1);
        checkOthersAreWell();
    }
}
