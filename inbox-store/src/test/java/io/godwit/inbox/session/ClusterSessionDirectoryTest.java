package io.godwit.inbox.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.Peer;
import io.godwit.inbox.client.SessionDirectory.Refusal;
import io.godwit.inbox.client.SessionDirectory.Takeover;
import io.godwit.inbox.session.DirectoryStage.Connection;
import io.godwit.inbox.session.DirectoryStage.Node;
import io.godwit.inbox.session.frame.DirectoryFrames;
import io.godwit.inbox.session.port.DirectoryView;
import io.godwit.inbox.session.port.IdKey;
import io.godwit.inbox.session.port.MemberLife;
import io.godwit.inbox.session.port.Owners;
import io.godwit.inbox.wire.DirectoryEntry;
import io.godwit.inbox.wire.DirectoryFrame;
import io.godwit.inbox.wire.IdAcquire;
import io.godwit.inbox.wire.IdClaim;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.NodeWait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ClusterSessionDirectoryTest {
    private static final DirectoryView ALL = DirectoryStage.view(1, "a", "b", "c");
    private DirectoryStage stage = DirectoryStage.of("a", "b", "c");
    private Node a = stage.node("a");
    private Node b = stage.node("b");
    private Node c = stage.node("c");
    /** Owned by c. */
    private final String id = DirectoryStage.idOwnedBy("c", ALL);

    @BeforeEach
    void allHaveEnrolled() {
        assertThat(connected(a, "first").has()).isTrue();
    }

    /** A client id that the first node owns in one view, and the second in the other. */
    private static String idOwnedBy(String first, DirectoryView one, String second, DirectoryView other) {
        for (int i = 0; ; i++) {
            String id = "moved" + i;
            if (DirectoryStage.ownerOf(id, one).equals(DirectoryStage.life(first))
                    && DirectoryStage.ownerOf(id, other).equals(DirectoryStage.life(second))) {
                return id;
            }
        }
    }

    private Connection connected(Node node, String clientId) {
        Connection connection = node.connect(clientId);
        stage.settle();
        return connection;
    }

    @Test
    void freeClientIdIsGrantedWhoeverOwnsIt() {
        for (String owner : stage.nodes.keySet()) {
            assertThat(connected(a, DirectoryStage.idOwnedBy(owner, ALL)).has())
                    .as(owner)
                    .isTrue();
        }
    }

    @Test
    void ownClientIdGoesOverNoLink() {
        Connection own = a.connect(DirectoryStage.idOwnedBy("a", ALL));
        while (a.turn()) {}
        assertThat(own.has()).isTrue();
        for (String other : List.of("b", "c")) {
            assertThat(stage.net.deliverOne("a", other, Lane.CONTROL)).isFalse();
        }
    }

    @Test
    void laterConnectionOnAnotherNodeDrivesOutTheFirst() {
        Connection first = connected(a, id);
        Connection second = connected(b, id);
        assertThat(first.isToldToGiveUp).isTrue();
        assertThat(second.has()).isFalse();

        first.release();
        stage.settle();
        assertThat(second.has()).isTrue();
        assertThat(second.isToldToGiveUp).isFalse();

        second.release();
        stage.settle();
        assertThat(c.directory.sizes().owned()).isZero();
    }

    /** As a node that is cut off, or that the others have excluded: its clients should try another node. */
    @Test
    void aNodeThatDoesNotServeRefusesThoseThatWaitAndThoseThatComeAtOnce() {
        Connection holder = connected(a, id);
        Connection waits = connected(b, id);
        b.takesConnections = false;
        Connection comes = connected(b, "another");
        assertThat(comes.answer).isCompletedExceptionally();
        assertThat(waits.answer).isNotDone();
        b.directory.tick();
        stage.settle();
        assertThat(waits.answer).isCompletedExceptionally();
        assertThat(b.overCount(NodeWait.CLIENT_ID)).as("no timeout has expired").isZero();
        assertThat(holder.has()).isTrue();

        b.takesConnections = true;
        Connection again = connected(b, id);
        assertThat(again.answer).isNotDone();
        holder.release();
        stage.settle();
        assertThat(again.has()).isTrue();
    }

    @Test
    void eachOfManyGetsItAndTheLatestKeepsIt() {
        List<Connection> all = new ArrayList<>();
        for (int i = 0; i < 90; i++) {
            all.add(connected(List.of(a, b, c).get(i % 3), id));
        }
        for (int i = 0; i < 89; i++) {
            Connection each = all.get(i);
            assertThat(each.has()).isTrue();
            assertThat(each.isToldToGiveUp).isTrue();
            each.release();
            stage.settle();
        }
        assertThat(all.get(89).has()).isTrue();
        assertThat(all.get(89).isToldToGiveUp).isFalse();
    }

    @Test
    void whatIsAskedForInOneTurnGoesInOneFrame() {
        for (int i = 0; i < 300; i++) {
            a.connect(id + "x" + i);
        }
        while (a.turn()) {}
        int frames = 0;
        while (stage.net.deliverOne("a", "c", Lane.CONTROL)) {
            frames++;
        }
        assertThat(frames).isEqualTo(1);
    }

    @Test
    void anotherUsersConnectionIsNotDrivenOutOverNodes() {
        Connection first = a.connect(id, "x", Takeover.OF_SAME_USER);
        stage.settle();
        Connection stranger = b.connect(id, "y", Takeover.OF_SAME_USER);
        Connection nobody = b.connect(id, null, Takeover.OF_SAME_USER);
        stage.settle();
        assertThat(stranger.answer).isCompletedWithValue(Refusal.OTHER_USER);
        assertThat(nobody.answer).isCompletedWithValue(Refusal.OTHER_USER);
        assertThat(first.isToldToGiveUp).isFalse();

        Connection same = b.connect(id, "x", Takeover.OF_SAME_USER);
        stage.settle();
        assertThat(same.answer).isNotDone();
        assertThat(first.isToldToGiveUp).isTrue();
    }

    /** Before all have enrolled, the user of the holder is unknown. */
    @Test
    void anotherUsersConnectionIsNotDrivenOutWhileTheMembersChange() {
        Connection first = a.connect(id, "x", Takeover.OF_SAME_USER);
        stage.settle();
        stage.net.cut("a", "b");
        stage.net.cut("a", "c");
        stage.learn(DirectoryStage.view(2, "a", "b", "c"));
        stage.settle();
        Connection stranger = b.connect(id, "y", Takeover.OF_SAME_USER);
        stage.settle();
        assertThat(stranger.answer).isNotDone();

        stage.net.mend("a", "b");
        stage.net.mend("a", "c");
        stage.settle();
        assertThat(stranger.answer).isCompletedWithValue(Refusal.OTHER_USER);
        assertThat(first.isToldToGiveUp).isFalse();
    }

    @Test
    void newOwnerLearnsWhoHasTheId() {
        Connection first = connected(a, id);
        DirectoryView next = DirectoryStage.view(2, "a", "b");
        stage.learn(new DirectoryView(2, next.serving(), Set.of(DirectoryStage.life("c"))));
        stage.settle();

        Connection second = connected(c, id);
        assertThat(first.isToldToGiveUp).isTrue();
        assertThat(second.has()).isFalse();
        first.release();
        stage.settle();
        assertThat(second.has()).isTrue();
        assertThat(c.directory.sizes().owned()).isZero();
    }

    /** The grant is of revision 1, and its node is already in revision 2. */
    @Test
    void grantThatComesBehindAChangeIsNotTaken() {
        Connection first = a.connect(id);
        while (a.turn()) {}
        assertThat(stage.net.deliverOne("a", "c", Lane.CONTROL)).isTrue();
        while (c.turn()) {} // c grants
        a.learn(DirectoryStage.view(2, "a", "b"));
        b.learn(DirectoryStage.view(2, "a", "b"));
        while (a.turn()) {}
        stage.net.deliverOne("c", "a", Lane.CONTROL);
        while (a.turn()) {}
        assertThat(first.has()).isFalse();

        stage.settle();
        assertThat(first.has())
                .as("the owner in revision 2 grants the client id")
                .isTrue();
    }

    @Test
    void nothingIsGrantedBeforeAllMembersHaveEnrolled() {
        stage.net.cut("b", "c");
        stage.learn(DirectoryStage.view(2, "a", "b", "c"));
        stage.settle();
        Connection waits = connected(a, id);
        assertThat(waits.answer).isNotDone();

        stage.net.mend("b", "c");
        stage.settle();
        assertThat(waits.has()).isTrue();
    }

    @Test
    void deadNodesConnectionIsWaitedForUntilTheMembersGoOnWithoutIt() {
        Connection first = connected(b, id);
        assertThat(first.has()).isTrue();
        stage.kill("b");
        Connection second = connected(a, id);
        assertThat(second.has()).isFalse();

        stage.pass(Duration.ofSeconds(3));
        stage.pass(Duration.ofSeconds(1));
        assertThat(c.missing).contains(DirectoryStage.life("b"));
        assertThat(second.has()).isFalse();

        stage.learn(DirectoryStage.view(2, "a", "c"));
        stage.settle();
        assertThat(second.has()).isTrue();
    }

    @Test
    void deadOwnerIsReportedAndTheNextOneGrants() {
        Connection first = connected(a, id);
        stage.kill("c");
        Connection second = connected(b, id);
        stage.pass(Duration.ofSeconds(3));
        stage.pass(Duration.ofSeconds(1));
        assertThat(b.missing)
                .as("the missing member is reported at each tick")
                .containsOnly(DirectoryStage.life("c"))
                .hasSizeGreaterThan(1);
        assertThat(b.overCount(NodeWait.SILENT_MEMBER))
                .as("the timeout is counted once")
                .isOne();
        assertThat(b.events)
                .singleElement()
                .isInstanceOfSatisfying(
                        BrokerEvent.WaitRanOut.class,
                        over -> assertThat(over.detail()).contains("c"));

        stage.learn(DirectoryStage.view(2, "a", "b"));
        stage.settle();
        assertThat(first.isToldToGiveUp).isTrue();
        first.release();
        stage.settle();
        assertThat(second.has()).isTrue();
    }

    /**
     * It has waited for the previous owner; the next one gets its own time. Otherwise a healthy member would be
     * excluded.
     */
    @Test
    void nextOwnerIsNotMissingBeforeItCouldHaveAsked() {
        DirectoryView next = DirectoryStage.view(2, "a", "b");
        String waited = idOwnedBy("c", ALL, "b", next);
        stage.kill("c");
        connected(a, waited);
        stage.pass(Duration.ofSeconds(4));
        assertThat(a.missing).containsOnly(DirectoryStage.life("c"));

        stage.net.cut("b", "a");
        stage.learn(next);
        stage.pass(Duration.ofMillis(250));
        assertThat(a.missing).containsOnly(DirectoryStage.life("c"));

        connected(a, waited);
        stage.pass(Duration.ofSeconds(4));
        assertThat(a.missing).contains(DirectoryStage.life("b"));
    }

    /** It must begin again over the next link. */
    @Test
    void ownerIsNotMissingAtOnceWhenItsLinkIsOver() {
        stage.net.cut("b", "c");
        stage.learn(DirectoryStage.view(2, "a", "b", "c"));
        stage.settle();
        connected(a, id); // c grants nothing before b has enrolled
        stage.pass(Duration.ofSeconds(4));
        assertThat(a.missing).isEmpty();

        stage.net.end("a", "c", "for the test");
        stage.pass(Duration.ofMillis(250));
        assertThat(a.missing).isEmpty();
        stage.pass(Duration.ofSeconds(4));
        assertThat(a.missing).contains(DirectoryStage.life("c"));
    }

    @Test
    void acquireFailsInTimeAndLeavesNothing() {
        Connection first = connected(a, id);
        Connection second = connected(b, id);
        stage.pass(Duration.ofSeconds(9));
        assertThat(second.answer).isNotDone();
        stage.pass(Duration.ofSeconds(1));
        assertThat(second.answer).isCompletedExceptionally();
        assertThat(second.answer.handle((answer, failure) -> cause(failure)).join())
                .isEqualTo(RangeException.Cause.TIMEOUT);
        assertThat(b.overCount(NodeWait.CLIENT_ID)).isOne();
        assertThat(b.events).singleElement().isInstanceOfSatisfying(BrokerEvent.WaitRanOut.class, over -> {
            assertThat(over.what()).isEqualTo(NodeWait.CLIENT_ID);
            assertThat(over.limit()).isEqualTo(DirectoryStage.LIMITS.acquireTimeout());
            assertThat(over.detail()).contains(id, "of c");
        });

        first.release();
        stage.settle();
        assertThat(c.directory.sizes().owned()).isZero();
        assertThat(b.directory.sizes().claims()).isZero();
    }

    private static RangeException.Cause cause(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return ((RangeException) Objects.requireNonNull(cause)).reason();
    }

    /** It cannot know whether the others have excluded it. */
    @Test
    void nodeThatIsNotSureOfItsMembershipGrantsNothing() {
        c.mayGrant = false;
        Connection waits = connected(a, id);
        assertThat(waits.answer).isNotDone();
        c.mayGrant = true;
        stage.pass(Duration.ofSeconds(1));
        assertThat(waits.has()).isTrue();
    }

    @Test
    void nodeOutOfTheViewWaits() {
        stage.learn(DirectoryStage.view(2, "a", "b"));
        stage.settle();
        Connection waits = connected(c, id);
        assertThat(waits.answer).isNotDone();
        stage.learn(DirectoryStage.view(3, "a", "b", "c"));
        stage.settle();
        assertThat(waits.has()).isTrue();
    }

    /** c was cut off with a connection; a got the id meanwhile; the partition heals. */
    @Test
    void ofTwoThatHaveItTheLowerGrantGivesUp() {
        Connection old = connected(c, id);
        assertThat(old.has()).isTrue();
        a.learn(DirectoryStage.view(2, "a", "b"));
        b.learn(DirectoryStage.view(2, "a", "b"));
        stage.settle();
        Connection later = connected(a, id);
        assertThat(later.has())
                .as("the new connection gets the id although the old one still has it, as documented")
                .isTrue();
        assertThat(old.isToldToGiveUp).isFalse();

        DirectoryView back =
                new DirectoryView(3, DirectoryStage.view(2, "a", "b").serving(), Set.of(DirectoryStage.life("c")));
        stage.learn(back);
        stage.settle();
        assertThat(old.isToldToGiveUp).isTrue();
        assertThat(later.isToldToGiveUp).isFalse();

        Connection third = connected(b, id);
        assertThat(later.isToldToGiveUp).isTrue();
        later.release();
        stage.settle();
        assertThat(third.has())
                .as("the third waits until both others have released the id")
                .isFalse();
        old.release();
        stage.settle();
        assertThat(third.has()).isTrue();
    }

    @Test
    void lostLinkLosesNoClaim() {
        Connection first = connected(a, id);
        Connection second = b.connect(id);
        while (b.turn()) {}
        stage.net.end("a", "c", "a test"); // with all messages under way
        stage.net.end("b", "c", "a test");
        stage.settle();
        assertThat(second.answer).isNotDone();
        assertThat(first.isToldToGiveUp).isFalse();

        stage.net.link("a", "c");
        stage.net.link("b", "c");
        stage.settle();
        assertThat(first.isToldToGiveUp).isTrue();
        stage.net.end("a", "c", "a test");
        first.release();
        stage.settle();
        assertThat(second.has()).isFalse();
        stage.net.link("a", "c");
        stage.settle();
        assertThat(second.has()).isTrue();
    }

    @Test
    void lostWordToGiveUpIsSaidAgain() {
        Connection first = connected(a, id);
        Connection second = c.connect(id);
        while (c.turn()) {}
        stage.net.end("a", "c", "a test"); // with the word
        stage.settle();
        assertThat(first.isToldToGiveUp).isFalse();
        stage.net.link("a", "c");
        stage.settle();
        assertThat(first.isToldToGiveUp).isTrue();
        first.release();
        stage.settle();
        assertThat(second.has()).isTrue();
    }

    @Test
    void lostGrantIsSaidAgain() {
        Connection first = a.connect(id);
        while (a.turn()) {}
        assertThat(stage.net.deliverOne("a", "c", Lane.CONTROL)).isTrue();
        while (c.turn()) {}
        stage.net.end("a", "c", "a test"); // with the grant
        stage.settle();
        assertThat(first.has()).isFalse();
        stage.net.link("a", "c");
        stage.settle();
        assertThat(first.has()).isTrue();
    }

    /**
     * The rest is told in the next revision together with all other claims; the first part does not count as complete.
     */
    @Test
    void unfinishedEnrolmentEndsWithItsRevision() {
        String padding = "x".repeat(50_000); // each fills a frame
        List<Connection> had = new ArrayList<>();
        for (int i = 0; had.size() < 5; i++) {
            String longId = padding + i;
            if (ownerOf(longId, ALL).equals("c")) {
                had.add(connected(a, longId));
            }
        }
        a.links.window(1);
        DirectoryView second = DirectoryStage.view(2, "a", "b", "c");
        DirectoryView third = DirectoryStage.view(3, "a", "b", "c");
        stage.learn(second);
        turnAll();
        while (stage.net.deliverOne("a", "c", Lane.CONTROL)) {} // there is room
        while (stage.net.deliverOne("c", "a", Lane.CONTROL)) {} // c asks in revision 2
        turnAll(); // and a tells the first claims
        stage.net.cut("c", "a");
        stage.learn(third);
        stage.settle();
        stage.pass(Duration.ofMillis(200));
        List<Connection> wanting = new ArrayList<>();
        had.forEach(each -> wanting.add(b.connect(each.id)));
        stage.settle();
        stage.pass(Duration.ofMillis(200));
        assertThat(wanting).noneMatch(Connection::has);

        stage.net.mend("c", "a");
        for (int i = 0; i < 20; i++) {
            stage.pass(Duration.ofMillis(200));
        }
        assertThat(had).allMatch(each -> each.isToldToGiveUp);
        assertThat(wanting).noneMatch(Connection::has);
        had.forEach(Connection::release);
        stage.settle();
        assertThat(wanting).allMatch(Connection::has);
    }

    private void turnAll() {
        for (Node node : stage.nodes.values()) {
            while (node.turn()) {}
        }
    }

    private static String ownerOf(String clientId, DirectoryView view) {
        MemberLife owner = new Owners(view).of(Owners.hash(new IdKey(TenantId.DEFAULT, new ClientId(clientId))));
        return Objects.requireNonNull(owner).nodeId();
    }

    @Test
    void tooManyForOneIdAreTurnedAway() {
        List<Connection> all = new ArrayList<>();
        for (int i = 0; i < DirectoryStage.LIMITS.maxWaiting() + 1; i++) {
            all.add(b.connect(id));
        }
        stage.settle();
        Connection last = all.get(all.size() - 1);
        assertThat(last.answer.handle((answer, failure) -> cause(failure)).join())
                .isEqualTo(RangeException.Cause.OVERLOADED);
        assertThat(all.get(all.size() - 2).answer).isNotDone();
    }

    @Test
    void peerReleasesItsOwnClaimsOnly() {
        Connection first = connected(a, id);
        assertThat(first.has()).isTrue();
        for (long number = 0; number < 10; number++) { // including the number of a's claim
            send(b, DirectoryEntry.newBuilder().setRelease(number));
        }
        stage.settle();
        Connection second = connected(c, id);
        assertThat(second.has()).isFalse();
    }

    @Test
    void frameThatMayNotBeEndsThePeer() {
        Peer toC = Objects.requireNonNull(b.links.peer("c"));
        toC.send(Lane.CONTROL, new byte[] {2, (byte) 0xff});
        stage.settle();
        assertThat(b.links.peer("c")).isNull();
        stage.net.link("b", "c");
        stage.settle();

        IdClaim foreign = IdClaim.newBuilder()
                .setNumber(99)
                .setTenant("default")
                .setClientId(DirectoryStage.idOwnedBy("a", ALL))
                .build();
        send(b, DirectoryEntry.newBuilder().setAcquire(IdAcquire.newBuilder().setClaim(foreign)));
        stage.settle();
        assertThat(b.links.peer("c"))
                .as("a claim of an id that c does not own ends the peer")
                .isNull();
        stage.net.link("b", "c");
        stage.settle();

        send(b, DirectoryEntry.newBuilder());
        stage.settle();
        assertThat(b.links.peer("c"))
                .as("an entry without a kind ends the peer")
                .isNull();
    }

    private void send(Node from, DirectoryEntry.Builder entry) {
        byte[] frame = DirectoryFrames.encode(
                DirectoryFrame.newBuilder().setRevision(1).addEntries(entry).build());
        Objects.requireNonNull(from.links.peer("c")).send(Lane.CONTROL, frame);
    }

    @Test
    void closingFailsWhatWaits() {
        connected(a, id);
        Connection waits = connected(b, id);
        b.directory.close();
        stage.settle();
        assertThat(waits.answer).isCompletedExceptionally();
        Connection late = connected(b, "late");
        assertThat(late.answer).isCompletedExceptionally();
    }
}
