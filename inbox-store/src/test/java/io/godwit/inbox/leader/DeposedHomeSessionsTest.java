package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxAttachment.Inbound;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.OriginDigest;
import io.godwit.inbox.client.SessionOwner;
import io.godwit.inbox.leader.state.ConfirmedAnswers;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Raft has replaced the home of an inbox, and its node does not know yet: its answers about the session may be wrong.
 */
@Tag("in-process")
class DeposedHomeSessionsTest {
    private static final int DEPOSED = 0;
    private static final int NEXT = 1;

    private final HomesFixture homes = new HomesFixture(3, 3);
    private final String id = homes.idLedBy(DEPOSED, "a");

    @BeforeEach
    void leadersHaveWalkedTheirRecords() {
        homes.advance(100);
    }

    @AfterEach
    void close() {
        homes.close();
    }

    /** Node 2, where the client asks, also takes the deposed home for the leader. */
    private void depose() {
        assertThat(homes.host.depose(HomesFixture.key(id), NEXT, 0)).isTrue();
        homes.nodes.get(2).believes = DEPOSED;
    }

    private void tellAll() {
        homes.host.tellDeposed(DEPOSED);
        homes.nodes.get(2).believes = null;
    }

    private ClientInfo clientOf(String user) {
        return new ClientInfo(TenantId.DEFAULT, new ClientId(id), user, "127.0.0.1:1000", 5);
    }

    private void attachAndLeave(int node, String user) {
        TestConnection connection = new TestConnection();
        homes.await(homes.client(node)
                        .attach(new AttachRequest(clientOf(user), false, AttachRequest.NEVER, null), connection))
                .attachment()
                .detach(-1, false);
        homes.run();
    }

    /** Its node is alive, so no lost link makes the connections ask the next home. */
    @ParameterizedTest
    @ValueSource(ints = {DEPOSED, 2})
    void connectionsGoOnAtTheNextHomeWhenItLearns(int edge) {
        TestConnection connection = homes.attach(edge, id);
        depose();
        tellAll();
        homes.run();
        assertThat(connection.ends).containsExactly(InboxListener.Reason.LOST);
        TestConnection next = homes.goOn(edge, connection, 0);
        homes.await(homes.insert(2, "after", 1, next));
        next.attachment().request(1);
        homes.run();
        assertThat(next.payloads()).containsExactly("after");
    }

    /** They were only in memory: no store failed, and the next home cannot know them. */
    @ParameterizedTest
    @ValueSource(ints = {DEPOSED, 2})
    void saysOfMessagesOfQos0ThatItsLeadershipIsLost(int edge) {
        TestConnection connection = homes.attach(edge, id);
        homes.await(homes.insert(edge, "first", 1, connection)); // no credit: later messages wait behind it
        homes.insert(edge, "dropped", 0, connection);
        homes.run();
        depose();
        tellAll();
        homes.run();
        assertThat(dropped("leadership_lost")).isEqualTo(1);
        assertThat(dropped("store_failed")).isZero();
    }

    private double dropped(String reason) {
        return homes.meters
                .get("godwit.inbox.dropped")
                .tag("reason", reason)
                .counter()
                .count();
    }

    /** Otherwise a client would get the session of another user. */
    @ParameterizedTest
    @ValueSource(ints = {DEPOSED, 2})
    void doesNotTellThatThereIsNoSession(int asking) {
        depose();
        attachAndLeave(NEXT, "somebody else");
        CompletableFuture<SessionOwner> owner = homes.client(asking).owner(clientOf("me"));
        homes.advance(1_000);
        assertThat(owner).isNotDone();
        tellAll();
        assertThat(homes.await(owner)).isEqualTo(SessionOwner.OTHER_USER);
    }

    /** The session it knows has ended since, and another user has begun one. */
    @Test
    void doesNotTellThatASessionIsTheClientsOwn() {
        attachAndLeave(NEXT, "me");
        depose();
        assertThat(homes.await(homes.client(NEXT).delete(TenantId.DEFAULT, new ClientId(id))))
                .isTrue();
        attachAndLeave(NEXT, "somebody else");
        CompletableFuture<SessionOwner> owner = homes.client(2).owner(clientOf("me"));
        homes.advance(1_000);
        assertThat(owner).isNotDone();
        tellAll();
        assertThat(homes.await(owner)).isEqualTo(SessionOwner.OTHER_USER);
    }

    /** Otherwise a session that its client has given up would stay, and collect messages. */
    @ParameterizedTest
    @ValueSource(ints = {DEPOSED, 2})
    void doesNotTellThatThereIsNothingToDelete(int asking) {
        depose();
        attachAndLeave(NEXT, "me");
        CompletableFuture<Boolean> deleted = homes.client(asking).delete(TenantId.DEFAULT, new ClientId(id));
        homes.advance(1_000);
        assertThat(deleted).isNotDone();
        tellAll();
        assertThat(homes.await(deleted)).isTrue();
        assertThat(homes.await(homes.client(2).owner(clientOf("me")))).isEqualTo(SessionOwner.NO_SESSION);
    }

    /** It has the inbox in memory, without a session. */
    @Test
    void doesNotTellThatASessionItHasDeletedIsGone() {
        attachAndLeave(NEXT, "me");
        homes.await(homes.client(NEXT).delete(TenantId.DEFAULT, new ClientId(id)));
        depose();
        attachAndLeave(NEXT, "me");
        CompletableFuture<Boolean> deleted = homes.client(2).delete(TenantId.DEFAULT, new ClientId(id));
        homes.advance(1_000);
        assertThat(deleted).isNotDone();
        tellAll();
        assertThat(homes.await(deleted)).isTrue();
    }

    /** Otherwise the next home would distribute a message again that its receivers have finished and forgotten. */
    @ParameterizedTest
    @ValueSource(ints = {DEPOSED, 2})
    void doesNotTellThatADistributedMessageIsMarked(int asking) {
        depose();
        TestConnection publisher = homes.attach(NEXT, id);
        Inbound stored = homes.await(publisher.attachment().receive(1, homes.message("exactly once", 2)));
        CompletableFuture<Void> marked = homes.client(asking)
                .distributed(
                        TenantId.DEFAULT,
                        new ClientId(id),
                        stored.tokenNumber(),
                        OriginDigest.of(stored.tokenOrigin()));
        homes.advance(1_000);
        assertThat(marked).isNotDone();
        tellAll();
        homes.await(marked);
        Inbound repeated = homes.await(publisher.attachment().receive(1, homes.message("exactly once", 2)));
        assertThat(repeated.isDistributed()).isTrue();
    }

    /** Each connection has at most one waiting command, but there may be very many connections. */
    @Test
    void keepsABoundedNumberOfCommandsWaitingForAProof() {
        homes.host.holdConfirmations();
        List<CompletableFuture<SessionOwner>> owners = new ArrayList<>();
        for (int i = 0; i < ConfirmedAnswers.MAX_OPEN; i++) {
            owners.add(homes.client(DEPOSED).owner(clientOf("me")));
        }
        homes.run();
        assertThat(owners).noneMatch(CompletableFuture::isDone);
        CompletableFuture<SessionOwner> refused = homes.client(DEPOSED).owner(clientOf("me"));
        homes.run();
        assertThat(refused)
                .failsWithin(Duration.ZERO)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(RangeException.class);
        homes.host.releaseConfirmations();
        homes.run();
        assertThat(owners).allMatch(owner -> owner.join() == SessionOwner.NO_SESSION);
    }
}
