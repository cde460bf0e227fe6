package io.godwit.cluster.link.contact;

import static io.godwit.cluster.link.LinksContract.bytes;
import static io.godwit.cluster.link.contact.LinkedNodes.awaitPeer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.LinksContract;
import io.godwit.cluster.link.Peer;
import io.godwit.cluster.link.message.LinkVersions;
import io.godwit.cluster.link.message.VersionRange;
import io.godwit.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Nodes of several releases and configurations, linked to each other. "a" dials. */
class LinkVersionsTest {
    private static final LinkVersions OLD = new LinkVersions(new VersionRange(1, 1), new VersionRange(1, 1));
    private static final LinkVersions NEW = new LinkVersions(new VersionRange(1, 2), new VersionRange(1, 2));
    private static final LinkVersions NEWER = new LinkVersions(new VersionRange(2, 3), new VersionRange(2, 3));
    private static final int MAX_FRAME_BYTES = 1 << 20;

    private final LinkedNodes nodes = new LinkedNodes();
    private final List<String> told = new CopyOnWriteArrayList<>();

    @AfterEach
    void closeNodes() {
        nodes.close();
    }

    private static LinkVersions versions(String name) {
        return switch (name) {
            case "old" -> OLD;
            case "new" -> NEW;
            default -> NEWER;
        };
    }

    @ParameterizedTest
    @CsvSource({"old, old, 1", "old, new, 1", "new, old, 1", "new, new, 2", "new, newer, 2", "newer, newer, 3"})
    void bothUseTheHighestThatBothSpeak(String atA, String atB, int version) throws Exception {
        PeerLinks a = nodes.open("a", versions(atA), MAX_FRAME_BYTES);
        LinksContract.Heard heardByA = new LinksContract.Heard(a);
        PeerLinks b = nodes.open("b", versions(atB), MAX_FRAME_BYTES);
        LinksContract.Heard heardByB = new LinksContract.Heard(b);
        nodes.join("a");
        nodes.join("b");
        Peer there = awaitPeer(a, "b");
        Peer back = awaitPeer(b, "a");
        assertThat(there.version()).isEqualTo(version);
        assertThat(back.version()).isEqualTo(version);
        there.send(Lane.LIVE, bytes("there"), new LinksContract.Fate(told, "there"));
        back.send(Lane.INBOX_DOWN, bytes("back"), new LinksContract.Fate(told, "back"));
        Await.until("confirmed", () -> told.size() == 2);
        assertThat(told).containsExactlyInAnyOrder("confirmed there", "confirmed back");
        assertThat(heardByB.frames).containsExactly("LIVE there");
        assertThat(heardByA.frames).containsExactly("INBOX_DOWN back");
    }

    @ParameterizedTest
    @ValueSource(strings = {"of links", "of frames"})
    void withoutACommonVersionThereIsNoLinkAndBothSaySoOnce(String what) throws Exception {
        VersionRange newer = new VersionRange(3, 3);
        LinkVersions atB = what.equals("of links")
                ? new LinkVersions(newer, NEW.payload())
                : new LinkVersions(NEW.layout(), newer);
        Logger logger = (Logger) LoggerFactory.getLogger(Contacts.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.list = new CopyOnWriteArrayList<>();
        lines.start();
        logger.addAppender(lines);
        try {
            PeerLinks a = nodes.open("a", NEW, MAX_FRAME_BYTES);
            LinksContract.Heard heardByA = new LinksContract.Heard(a);
            PeerLinks b = nodes.open("b", atB, MAX_FRAME_BYTES);
            LinksContract.Heard heardByB = new LinksContract.Heard(b);
            nodes.join("a");
            nodes.join("b");
            Await.until("both warn", () -> warnings(lines).size() >= 2);
            nodes.pass(TimeUnit.SECONDS.toNanos(31)); // time for the next dial
            a.tick();
            Await.holds(
                    "said once", Duration.ofMillis(300), () -> warnings(lines).size() == 2);
            assertThat(warnings(lines))
                    .allSatisfy(line -> assertThat(line).contains("no protocol version is common", what));
            assertThat(warnings(lines)).anySatisfy(line -> assertThat(line).contains("node=a"));
            assertThat(warnings(lines)).anySatisfy(line -> assertThat(line).contains("node=b"));
            nodes.pass(TimeUnit.SECONDS.toNanos(61));
            a.tick();
            Await.until("both warn again", () -> warnings(lines).size() == 4);
            assertThat(a.peers()).isEmpty();
            assertThat(b.peers()).isEmpty();
            assertThat(heardByA.events).isEmpty();
            assertThat(heardByB.events).isEmpty();
        } finally {
            logger.detachAppender(lines);
        }
    }

    private static List<String> warnings(ListAppender<ILoggingEvent> lines) {
        return lines.list.stream()
                .filter(line -> line.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> line.contains("no protocol version"))
                .toList();
    }

    /** The next process of the node may have a release with a common version. */
    @Test
    void anotherLifeOfTheNodeIsTriedAtOnce() throws Exception {
        PeerLinks a = nodes.open("a", OLD, MAX_FRAME_BYTES);
        new LinksContract.Heard(a);
        new LinksContract.Heard(nodes.open("b", NEWER, MAX_FRAME_BYTES));
        nodes.join("a");
        nodes.join("b");
        Await.holds("no link", Duration.ofMillis(300), () -> a.peers().isEmpty());
        nodes.kill("b");
        new LinksContract.Heard(nodes.open("b", NEW, MAX_FRAME_BYTES));
        nodes.join("b");
        assertThat(awaitPeer(a, "b").version()).isEqualTo(1);
    }

    /** The send is refused at the sender, and the link stays. */
    @Test
    void aFrameThatThePeerDoesNotAcceptIsNotSent() throws Exception {
        PeerLinks a = nodes.open("a", OLD, 4 << 20);
        LinksContract.Heard heardByA = new LinksContract.Heard(a);
        PeerLinks b = nodes.open("b", OLD, MAX_FRAME_BYTES);
        new LinksContract.Heard(b);
        nodes.join("a");
        nodes.join("b");
        Peer there = awaitPeer(a, "b");
        assertThat(there.maxFrameBytes()).isEqualTo(MAX_FRAME_BYTES);
        assertThat(awaitPeer(b, "a").maxFrameBytes()).isEqualTo(MAX_FRAME_BYTES);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> there.send(Lane.LIVE, new byte[MAX_FRAME_BYTES + 1]))
                .withMessageContainingAll("" + (MAX_FRAME_BYTES + 1), "" + MAX_FRAME_BYTES, "b");
        there.send(Lane.LIVE, new byte[MAX_FRAME_BYTES], new LinksContract.Fate(told, "largest"));
        Await.until("confirmed", () -> told.equals(List.of("confirmed largest")));
        assertThat(a.peer("b")).isSameAs(there);
        assertThat(heardByA.events).containsExactly("joined b");
    }

    @Test
    void aRangeIsNoneWithoutVersions() {
        assertThatIllegalArgumentException().isThrownBy(() -> new VersionRange(0, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new VersionRange(2, 1));
        assertThat(new VersionRange(1, 2).highestCommon(new VersionRange(3, 4))).isZero();
        assertThat(new VersionRange(1, 3).highestCommon(new VersionRange(2, 9))).isEqualTo(3);
    }
}
