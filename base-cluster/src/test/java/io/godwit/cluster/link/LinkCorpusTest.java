package io.godwit.cluster.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.HostPort;
import io.godwit.cluster.Member;
import io.godwit.cluster.link.wire.Accepted;
import io.godwit.cluster.link.wire.Hello;
import io.godwit.cluster.link.wire.Reason;
import io.godwit.testing.Corpus;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * The messages of links as they were recorded: nodes of other releases send and expect them byte by byte. When a
 * message is added, {@code -Dgodwit.corpus.write=FILE} writes all of them to that file; none that is there may change.
 */
class LinkCorpusTest {
    private static final Corpus CORPUS = Corpus.of(LinkCorpusTest.class, "/link-messages-v1.properties");
    /** Of releases that did not tell the versions of frames, nor how large one may be. */
    private static final String BEFORE = "before.";

    private static final int MAX_FRAME_BYTES = 16 << 20;
    private static final long[] NEXT = {1, 300, 70_000, 1};
    private static final Handshake DIALING =
            new Handshake("a", 5, LinkSettings.of("cluster"), LinkVersions.CURRENT, MAX_FRAME_BYTES);
    private static final Handshake DIALED =
            new Handshake("b", 7, LinkSettings.of("cluster"), LinkVersions.CURRENT, MAX_FRAME_BYTES);
    private static final Member DIALER = new Member("a", 5, new HostPort("127.0.0.1", 1), "1", "", Map.of());
    private static final Agreement AGREED = new Agreement(1, 1, MAX_FRAME_BYTES);

    private static Map<String, byte[]> all() throws LinkProtocolException {
        Map<String, byte[]> messages = new TreeMap<>();
        messages.put("hello", LinkMessage.encode(DIALING.hello("b", 7, 3, 9, NEXT)));
        messages.put("accepted", LinkMessage.encode(DIALED.accepted(AGREED, NEXT)));
        for (Reason reason : Reason.values()) {
            if (reason != Reason.UNRECOGNIZED) {
                messages.put("refused." + reason, LinkMessage.encode(Handshake.refused(reason, "words", 4)));
            }
        }
        LaneOutlet outlet = new LaneOutlet(Lane.LIVE, 1);
        outlet.add(new LaneOutlet.Outgoing("one".getBytes(StandardCharsets.UTF_8)));
        outlet.add(new LaneOutlet.Outgoing(new byte[0]));
        outlet.resume(1, LinkSettings.LEAST_WINDOW_BYTES, frame -> {});
        messages.put("data", Objects.requireNonNull(outlet.next(new LaneCounters())));
        messages.put("confirmed", LinkMessage.confirmed(1, new long[] {0, 2, 0, 70_000}));
        messages.put("end", LinkMessage.end(1, "for the test"));
        return messages;
    }

    @Test
    void messagesAreWhatTheyWere() throws Exception {
        Map<String, byte[]> now = all();
        CORPUS.recorded().forEach((name, message) -> {
            if (name.startsWith(BEFORE)) {
                now.put(name, message);
            }
        });
        CORPUS.assertHasExactly(now);
    }

    @Test
    void recordedMessagesAreUnderstood() throws Exception {
        for (String before : List.of("", BEFORE)) {
            LinkConnection dialed = connection();
            Hello hello = LinkMessage.hello(CORPUS.get(before + "hello"));
            assertThat(DIALED.refusal(hello, List.of(DIALER))).isNull();
            DIALED.hear(dialed, hello);
            assertThat(dialed.agreement()).isEqualTo(AGREED);
            assertThat(dialed.theirs(Lane.INBOX_UP)).isEqualTo(70_000);

            LinkConnection dialing = connection();
            Accepted accepted =
                    LinkMessage.answer(CORPUS.get(before + "accepted")).getAccepted();
            DIALING.hear(dialing, accepted);
            assertThat(dialing.agreement()).isEqualTo(AGREED);
            assertThat(dialing.theirs(Lane.LIVE)).isEqualTo(300);
        }
        assertThat(LinkMessage.answer(CORPUS.get("refused.REASON_OVER"))
                        .getRefused()
                        .getSession())
                .isEqualTo(4);

        LaneInlet inlet = new LaneInlet(Lane.LIVE, MAX_FRAME_BYTES);
        inlet.begin(1);
        List<String> frames = new ArrayList<>();
        inlet.open(CORPUS.get("data"));
        inlet.take(frame -> {
            frames.add(new String(frame, StandardCharsets.UTF_8));
            return LaneInlet.Answer.NEXT;
        });
        assertThat(frames).containsExactly("one", "");
        List<String> confirmed = new ArrayList<>();
        LinkMessage.confirmations(CORPUS.get("confirmed"), (lane, upTo) -> confirmed.add(lane + " " + upTo));
        assertThat(confirmed).containsExactly("LIVE 2", "INBOX_DOWN 70000");
        assertThat(LinkMessage.kind(CORPUS.get("end"), LinkVersions.CURRENT.layout()))
                .isEqualTo(LinkMessage.END);
        assertThat(LinkMessage.why(CORPUS.get("end"))).isEqualTo("for the test");
    }

    /** A node that says hello in the next release still reaches this one. */
    @Test
    void fieldsThatAreNotKnownAreLeftUnread() throws Exception {
        byte[] hello = CORPUS.get("hello");
        byte[] longer = Arrays.copyOf(hello, hello.length + 3);
        longer[hello.length] = (byte) 0xf8; // field 31, a number
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
