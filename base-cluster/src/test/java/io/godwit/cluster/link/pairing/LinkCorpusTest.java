package io.godwit.cluster.link.pairing;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.config.HostPort;
import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.LinkSettings;
import io.godwit.cluster.link.connection.Agreement;
import io.godwit.cluster.link.connection.Handshake;
import io.godwit.cluster.link.connection.LinkConnection;
import io.godwit.cluster.link.connection.LinkLimits;
import io.godwit.cluster.link.message.LinkMessage;
import io.godwit.cluster.link.message.LinkProtocolException;
import io.godwit.cluster.link.message.LinkVersions;
import io.godwit.cluster.link.message.VersionRange;
import io.godwit.cluster.link.wire.Accepted;
import io.godwit.cluster.link.wire.Hello;
import io.godwit.cluster.link.wire.Reason;
import io.godwit.cluster.member.Member;
import io.godwit.testing.Corpus;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Recorded messages of links, for each version of the layout: nodes of other releases send and expect exactly these
 * bytes. When a message is added, {@code -Dgodwit.corpus.write=FILE} writes all messages of a version to that file;
 * existing ones must not change.
 */
class LinkCorpusTest {
    private static final Map<Integer, Corpus> CORPORA = Map.of(
            1, Corpus.of(LinkCorpusTest.class, "/link-messages-v1.properties"),
            2, Corpus.of(LinkCorpusTest.class, "/link-messages-v2.properties"));
    /** Messages of releases that did not announce the version of frames or the largest frame. */
    private static final String BEFORE = "before.";

    private static final int MAX_FRAME_BYTES = 16 << 20;
    private static final long[] NEXT = {1, 300, 70_000, 1};
    private static final Handshake DIALING = handshake("a", 5, LinkVersions.CURRENT);
    private static final Handshake DIALED = handshake("b", 7, LinkVersions.CURRENT);
    private static final Member DIALER = new Member("a", 5, new HostPort("127.0.0.1", 1), "1", "", Map.of());

    private static Handshake handshake(String id, long incarnation, LinkVersions versions) {
        return new Handshake(id, incarnation, LinkSettings.of("cluster"), versions, MAX_FRAME_BYTES);
    }

    private static Agreement agreed(int version) {
        return new Agreement(version, 1, MAX_FRAME_BYTES);
    }

    private static Corpus corpus(int version) {
        return Objects.requireNonNull(CORPORA.get(version));
    }

    private static byte[] piece(int version, long sequence, byte[] frame, int offset, int length) {
        byte[] message = LinkMessage.piece(version, Lane.LIVE, sequence, frame.length, offset, length);
        System.arraycopy(frame, offset, message, LinkMessage.PIECE_HEAD_BYTES, length);
        return message;
    }

    private static Map<String, byte[]> all(int version) throws LinkProtocolException {
        Map<String, byte[]> messages = new TreeMap<>();
        LinkVersions spoken = new LinkVersions(new VersionRange(1, version), new VersionRange(1, 1));
        messages.put("hello", LinkMessage.encode(handshake("a", 5, spoken).hello("b", 7, 3, 9, NEXT)));
        messages.put("accepted", LinkMessage.encode(DIALED.accepted(agreed(version), NEXT)));
        for (Reason reason : Reason.values()) {
            if (reason != Reason.UNRECOGNIZED) {
                messages.put("refused." + reason, LinkMessage.encode(Handshake.refused(reason, "words", 4)));
            }
        }
        LaneOutlet outlet = new LaneOutlet(Lane.LIVE, version);
        outlet.add(new LaneOutlet.Outgoing("one".getBytes(StandardCharsets.UTF_8)));
        outlet.add(new LaneOutlet.Outgoing(new byte[0]));
        outlet.resume(1, LinkSettings.LEAST_WINDOW_BYTES, frame -> {});
        messages.put("data", Objects.requireNonNull(outlet.next(new LaneCounters())));
        messages.put("confirmed", LinkMessage.confirmed(version, new long[] {0, 2, 0, 70_000}));
        messages.put("end", LinkMessage.end(version, "for the test"));
        if (version >= LinkMessage.PIECES_VERSION) {
            byte[] frame = "in pieces".getBytes(StandardCharsets.UTF_8);
            messages.put("piece.first", piece(version, 0, frame, 0, 4));
            messages.put("piece.last", piece(version, 3, frame, 4, 5));
        }
        return messages;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void messagesAreWhatTheyWere(int version) throws Exception {
        Map<String, byte[]> now = all(version);
        corpus(version).recorded().forEach((name, message) -> {
            if (name.startsWith(BEFORE)) {
                now.put(name, message);
            }
        });
        corpus(version).assertHasExactly(now);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void recordedMessagesAreUnderstood(int version) throws Exception {
        Corpus corpus = corpus(version);
        for (String before : version == 1 ? List.of("", BEFORE) : List.of("")) {
            LinkConnection dialed = connection();
            Hello hello = LinkMessage.hello(corpus.get(before + "hello"));
            assertThat(DIALED.refusal(hello, List.of(DIALER))).isNull();
            DIALED.hear(dialed, hello);
            assertThat(dialed.agreement()).isEqualTo(agreed(version));
            assertThat(dialed.theirs(Lane.INBOX_UP)).isEqualTo(70_000);

            LinkConnection dialing = connection();
            Accepted accepted =
                    LinkMessage.answer(corpus.get(before + "accepted")).getAccepted();
            DIALING.hear(dialing, accepted);
            assertThat(dialing.agreement()).isEqualTo(agreed(version));
            assertThat(dialing.theirs(Lane.LIVE)).isEqualTo(300);
        }
        assertThat(LinkMessage.answer(corpus.get("refused.REASON_OVER"))
                        .getRefused()
                        .getSession())
                .isEqualTo(4);

        LaneInlet inlet = new LaneInlet(Lane.LIVE, MAX_FRAME_BYTES);
        inlet.begin(1);
        List<String> frames = new ArrayList<>();
        Function<byte[], LaneInlet.Answer> receiver = frame -> {
            frames.add(new String(frame, StandardCharsets.UTF_8));
            return LaneInlet.Answer.NEXT;
        };
        if (version >= LinkMessage.PIECES_VERSION) {
            inlet.takePiece(corpus.get("piece.first"), receiver);
        }
        inlet.open(corpus.get("data"));
        inlet.take(receiver);
        assertThat(frames).containsExactly("one", "");
        if (version >= LinkMessage.PIECES_VERSION) {
            inlet.takePiece(corpus.get("piece.last"), receiver);
            assertThat(frames).containsExactly("one", "", "in pieces");
        }
        List<String> confirmed = new ArrayList<>();
        LinkMessage.confirmations(corpus.get("confirmed"), (lane, upTo) -> confirmed.add(lane + " " + upTo));
        assertThat(confirmed).containsExactly("LIVE 2", "INBOX_DOWN 70000");
        assertThat(LinkMessage.kind(corpus.get("end"), LinkVersions.CURRENT.layout()))
                .isEqualTo(LinkMessage.END);
        assertThat(LinkMessage.why(corpus.get("end"))).isEqualTo("for the test");
    }

    /** A hello of the next release is still understood. */
    @Test
    void fieldsThatAreNotKnownAreLeftUnread() throws Exception {
        byte[] hello = corpus(2).get("hello");
        byte[] longer = Arrays.copyOf(hello, hello.length + 3);
        longer[hello.length] = (byte) 0xf8; // field number 31
        longer[hello.length + 1] = 1;
        longer[hello.length + 2] = 77;
        assertThat(DIALED.refusal(LinkMessage.hello(longer), List.of(DIALER))).isNull();
    }

    private static LinkConnection connection() {
        LinkConnection.Owner nobody = new LinkConnection.Owner() {
            @Override
            public void begun(LinkConnection connection, byte[] message) {}

            @Override
            public void broken(LinkConnection connection, String why) {}

            @Override
            public void endedByOther(LinkConnection connection, String why) {}

            @Override
            public void closed(LinkConnection connection, String why) {}
        };
        return new LinkConnection(
                nobody, LinkLimits.of(LinkSettings.of("cluster"), MAX_FRAME_BYTES), LinkVersions.CURRENT.layout());
    }
}
