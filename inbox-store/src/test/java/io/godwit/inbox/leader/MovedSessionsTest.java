package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.format.StoredSession;
import io.godwit.inbox.ledger.ConnectionEnd;
import io.godwit.inbox.ledger.MovedSession;
import io.godwit.inbox.ledger.MovedSessions;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.report.InboxReports;
import io.godwit.kv.coprocessor.RangeBounds;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

/** State that a leader hands over is for its direct successor, not for a later one. */
class MovedSessionsTest {
    private static final InboxId ID = InboxId.of(InboxFixture.info("a"));

    private final StepContext left = new StepContext();
    private final StepContext taken = new StepContext();
    private final MovedSessions moved = left.moved;
    private final InboxReports reports = new InboxReports(event -> {}, new SimpleMeterRegistry());
    private final StoredSession session = new StoredSession(7, 1, InboxFixture.info("a"), 60);

    MovedSessionsTest() {
        session.attach(InboxFixture.info("a"), 60, 3, 0, false);
    }

    @Test
    void theNextLeadershipOfTheSameTermTakesIt() {
        leave();
        assertThat(moved.take(ID, session, taken, reports)).isNotNull();
        assertThat(moved.takeDisconnect(ID, taken)).isNotNull();
    }

    @Test
    void anotherNodeMayHaveLedBeforeALaterTerm() {
        leave();
        taken.term = left.term + 2;
        taken.bounds = new RangeBounds(left.bounds.start().clone(), left.bounds.end());
        assertThat(moved.take(ID, session, taken, reports)).isNull();
        assertThat(moved.takeDisconnect(ID, taken)).isNull();
    }

    /** Terms of different ranges cannot be compared. */
    @Test
    void theLeaderOfAPartTakesItInWhateverTerm() {
        leave();
        taken.term = left.term + 1;
        taken.bounds = new RangeBounds(new byte[] {1}, null);
        assertThat(moved.take(ID, session, taken, reports)).isNotNull();
        assertThat(moved.takeDisconnect(ID, taken)).isNotNull();
    }

    @Test
    void theEndOfAConnectionIsNotTheEndOfTheNext() {
        assertThat(disconnect(3).isOf(session)).isTrue();
        assertThat(disconnect(2).isOf(session)).isFalse();
        assertThat(disconnect(ConnectionEnd.LATE).isOf(session)).isTrue();
        assertThat(new ConnectionEnd(6, 3, -1, false, false).isOf(session)).isFalse();
    }

    private void leave() {
        MovedSession waiting = new MovedSession(session.incarnation, session.attachNumber(), 0, true, null);
        waiting.waitUntil(left.nowMillis + 15_000);
        moved.leave(ID, waiting, left);
        moved.leave(ID, disconnect(3), left);
    }

    private static ConnectionEnd disconnect(long attachNumber) {
        return new ConnectionEnd(7, attachNumber, -1, false, false);
    }
}
