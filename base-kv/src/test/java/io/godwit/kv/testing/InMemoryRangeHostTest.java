package io.godwit.kv.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class InMemoryRangeHostTest {
    private final InMemoryRangeHost host = new InMemoryRangeHost(AppendCoprocessor::new, List.of(bytes("m")));

    @AfterEach
    void close() {
        host.close();
    }

    @Test
    void appliesInOrderAndAnswersQueries() {
        CompletableFuture<byte[]> first = append("a", "1");
        CompletableFuture<byte[]> second = append("a", "2");

        assertThat(text(host.await(second))).isEqualTo("12");
        assertThat(first).isCompleted();
        assertThat(text(host.await(host.query(bytes("a"), bytes("a"), soon())))).isEqualTo("12");
    }

    @Test
    void sealsFourEntriesAndKeepsTheRestCancellable() {
        host.holdCommits();
        List<CompletableFuture<byte[]>> answers = new ArrayList<>();
        for (int i = 0; i < 4 * 256 + 10; i++) {
            answers.add(append("a", "x"));
        }
        host.runUntilIdle();

        assertThat(host.entriesInFlight()).isEqualTo(4);
        assertThat(host.waitingProposals()).isEqualTo(10);
        assertThat(answers).noneMatch(CompletableFuture::isDone);

        host.releaseCommits();
        host.runUntilIdle();
        assertThat(answers).allMatch(CompletableFuture::isDone);
        assertThat(host.appliedEntries()).isEqualTo(5);
    }

    @Test
    void aCrashLosesWhatWasNotCommitted() {
        host.await(append("a", "1"));
        host.holdCommits();
        CompletableFuture<byte[]> lost = append("a", "2");
        host.runUntilIdle();

        host.crashAndRestart();

        assertThat(reason(lost)).isEqualTo(Cause.TIMEOUT);
        assertThat(text(host.await(append("a", "3")))).isEqualTo("13");
    }

    @Test
    void aCrashMayKeepWhatNobodyWasTold() {
        host.holdCommits();
        CompletableFuture<byte[]> unknown = append("a", "1");
        host.runUntilIdle();

        host.crashAndRestart(1);

        assertThat(reason(unknown)).isEqualTo(Cause.TIMEOUT);
        assertThat(text(host.await(append("a", "2")))).isEqualTo("12");
    }

    @Test
    void refusesWritesUntilTheyAreAcceptedAgain() {
        host.failWrites(Cause.DISK_FULL);
        CompletableFuture<byte[]> refused = append("a", "1");
        host.runUntilIdle();
        assertThat(reason(refused)).isEqualTo(Cause.DISK_FULL);

        host.acceptWrites();
        assertThat(text(host.await(append("a", "2")))).isEqualTo("2");
    }

    @Test
    void aNearlyFullDiskTakesOnlyWhatRelieves() {
        host.refuseAdditions();
        CompletableFuture<byte[]> refused = append("a", "1");
        CompletableFuture<byte[]> relieving = host.relieve(bytes("a"), bytes("a=2"), soon());
        assertThat(text(host.await(relieving))).isEqualTo("2");
        assertThat(reason(refused)).isEqualTo(Cause.DISK_FULL);
        host.acceptWrites();
        assertThat(text(host.await(append("a", "3")))).isEqualTo("23");
    }

    @Test
    void deadlinesFollowTheHandMovedClock() {
        host.holdSeals();
        CompletableFuture<byte[]> late = append("a", "1");
        host.advanceMillis(4_000);
        assertThat(late).isNotDone();
        host.advanceMillis(2_000);
        assertThat(reason(late)).isEqualTo(Cause.TIMEOUT);

        host.releaseSeals();
        assertThat(text(host.await(append("a", "2")))).isEqualTo("2");
    }

    @Test
    void namesOneKeyOfEveryRange() {
        assertThat(host.rangeKeys(bytes("b"), null).stream().map(InMemoryRangeHostTest::text))
                .containsExactly("b", "m");
        assertThat(host.rangeKeys(bytes("b"), bytes("m")).stream().map(InMemoryRangeHostTest::text))
                .containsExactly("b");
        assertThat(host.rangeKeys(bytes("n"), null).stream().map(InMemoryRangeHostTest::text))
                .containsExactly("n");
    }

    private CompletableFuture<byte[]> append(String key, String suffix) {
        return host.mutate(bytes(key), bytes(key + "=" + suffix), soon());
    }

    private static Deadline soon() {
        return Deadline.afterMillis(5_000);
    }

    private static Cause reason(CompletableFuture<?> failed) {
        assertThat(failed).isCompletedExceptionally();
        return failed.handle((value, failure) -> ((RangeException) failure).reason())
                .join();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, UTF_8);
    }
}
