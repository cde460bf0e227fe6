package io.godwit.kv.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Whom a node asks whether a range has ended, and when. */
class EndedRangesTest {
    private final Set<String> asked = new TreeSet<>();
    private final Set<String> saysEnded = new TreeSet<>();
    private final List<EndedRanges.Replica> ended = new ArrayList<>();
    private long nanos;
    private final EndedRanges ranges =
            new EndedRanges("me", () -> List.of("me", "old", "new"), () -> nanos, this::answer, ended::add);

    private CompletableFuture<Boolean> answer(String node, EndedRanges.Replica replica) {
        asked.add(node);
        return node.equals("lost")
                ? CompletableFuture.failedFuture(new IOException("no member"))
                : CompletableFuture.completedFuture(saysEnded.contains(node));
    }

    private static EndedRanges.Replica replica(boolean isRunning, boolean hasLeader) {
        return new EndedRanges.Replica("test", 7, "test-7", List.of("me", "old", "lost"), isRunning, hasLeader);
    }

    private void look(EndedRanges.Replica replica) {
        asked.clear();
        ranges.look(List.of(replica));
    }

    private void pass(long seconds) {
        nanos += TimeUnit.SECONDS.toNanos(seconds);
    }

    /** The voters that the replica here knows may have been replaced before the range ended. */
    @Test
    void anAnswerOfANodeThatWasNoVoterCounts() {
        saysEnded.add("new");
        look(replica(true, false));
        assertThat(asked).isEmpty();
        pass(31);
        look(replica(true, false));
        assertThat(asked).containsExactly("lost", "new", "old");
        assertThat(ended).containsExactly(replica(true, false));
    }

    @Test
    void aReplicaThatIsNotRunningAsksAllAtOnce() {
        look(replica(false, false));
        assertThat(asked).containsExactly("lost", "new", "old");
        assertThat(ended).isEmpty();
    }

    @Test
    void theTimeWithoutALeaderBeginsAgainWithEachLeader() {
        look(replica(true, false));
        pass(20);
        look(replica(true, true));
        pass(20);
        look(replica(true, false));
        assertThat(asked).isEmpty();
        pass(31);
        look(replica(true, false));
        assertThat(asked).isNotEmpty();
    }

    @Test
    void theTimeWithoutALeaderIsForgottenWithTheReplica() {
        look(replica(true, false));
        pass(31);
        ranges.look(List.of());
        look(replica(true, false));
        assertThat(asked).isEmpty();
    }
}
