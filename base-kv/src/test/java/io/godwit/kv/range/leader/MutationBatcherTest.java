package io.godwit.kv.range.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.coprocessor.Proposal;
import io.godwit.kv.range.apply.SealedEntry;
import io.godwit.kv.range.replica.RangeSettings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

class MutationBatcherTest {
    private final Log log = new Log();
    private final List<String> told = new ArrayList<>();
    private final LongAdder tooLarge = new LongAdder();
    private final MutationBatcher batcher =
            new MutationBatcher(log, new RangeSettings(1 << 20, 6 << 20, 1 << 20, 5_000), tooLarge);

    @Test
    void whatArrivesWhileEntriesAreUnderWayLeavesTogether() {
        addAndFlush("a");
        addAndFlush("b");
        addAndFlush("c");
        addAndFlush("d");

        assertThat(log.contents()).containsExactly("a", "b"); // a third entry would not be synced any earlier
        log.apply(batcher);
        batcher.flush();
        assertThat(log.contents()).containsExactly("b", "c,d");
        log.apply(batcher);
        log.apply(batcher);
        assertThat(told).containsExactly("a applied", "b applied", "c applied", "d applied");
    }

    @Test
    void fullEntriesFillUpToFour() {
        for (int i = 0; i < 6 * MutationBatcher.MAX_MUTATIONS; i++) {
            add("m" + i);
        }
        batcher.flush();

        assertThat(log.entries).hasSize(4);
        assertThat(log.entries).allMatch(entry -> entry.mutations().size() == MutationBatcher.MAX_MUTATIONS);
    }

    @Test
    void anEntryIsBoundedInBytesButForOneLargeMutation() {
        addOfSize(100_000);
        addOfSize(100_000);
        addOfSize(100_000);
        addOfSize(600_000);
        addOfSize(1);
        batcher.flush();

        assertThat(log.entries).extracting(SealedEntry::bytes).containsExactly(200_000L, 100_000L, 600_000L);
        log.apply(batcher);
        log.apply(batcher);
        batcher.flush();
        assertThat(log.entries).extracting(SealedEntry::bytes).containsExactly(600_000L, 1L);
    }

    /** A small mutation behind many large ones waits for few syncs, even on a slow disk. */
    @Test
    void largeMutationsShareASyncByTheirBytes() {
        MutationBatcher patient =
                new MutationBatcher(log, new RangeSettings(64 << 20, 14 << 20, 1 << 20, 5_000), tooLarge);
        for (int i = 0; i < 20; i++) {
            patient.add(new Named("large" + i, new byte[1_000_000]));
        }
        patient.add(new Named("small", new byte[10]));
        patient.flush();

        int most = MutationBatcher.MAX_LARGE_BYTES_IN_FLIGHT / 1_000_000;
        assertThat(most).isGreaterThan(MutationBatcher.MAX_IN_FLIGHT);
        assertThat(log.entries).hasSize(most);
        int syncs = 0;
        while (!log.entries.isEmpty()) {
            syncs++;
            int together = log.entries.size();
            for (int i = 0; i < together; i++) {
                log.apply(patient);
            }
            patient.flush();
        }
        assertThat(syncs)
                .as("the small mutation waits for a fourth entry; four large ones alone would need six syncs")
                .isEqualTo(4);
        assertThat(told).hasSize(21).endsWith("large19 applied", "small applied");
    }

    @Test
    void aProposalCanBeCancelledUntilItIsSealed() {
        Named sealed = add("sealed");
        batcher.flush();
        addAndFlush("second");
        Named waiting = add("waiting");
        batcher.flush();

        assertThat(sealed.cancel()).isFalse();
        assertThat(waiting.cancel()).isTrue();
        add("after");
        log.apply(batcher);
        batcher.flush();

        assertThat(log.contents()).containsExactly("second", "after");
        log.apply(batcher);
        log.apply(batcher);
        assertThat(told).containsExactly("sealed applied", "second applied", "after applied");
    }

    @Test
    void nothingIsSentWhenAllThatWaitsWasCancelled() {
        add("a").cancel();
        batcher.flush();
        assertThat(log.entries).isEmpty();
    }

    @Test
    void outcomesAreToldInTheOrderOfTheEntries() {
        addAndFlush("a");
        addAndFlush("b");
        SealedEntry first = log.entries.removeFirst();
        SealedEntry second = log.entries.removeFirst();

        batcher.unknown(second);
        assertThat(told).isEmpty();
        batcher.applied(first, replies(first));
        assertThat(told).containsExactly("a applied", "b TIMEOUT");
    }

    @Test
    void entriesTheLogIsTooBusyForAreProposedAgainInOrder() {
        addAndFlush("a");
        addAndFlush("b");
        SealedEntry first = log.entries.removeFirst();
        SealedEntry second = log.entries.removeFirst();

        batcher.rejected(second);
        batcher.rejected(first);
        addAndFlush("c");
        assertThat(log.entries).isEmpty();
        log.runLater();

        assertThat(log.contents()).containsExactly("a", "b");
        log.apply(batcher);
        log.apply(batcher);
        batcher.flush();
        log.apply(batcher);
        assertThat(told).containsExactly("a applied", "b applied", "c applied");
    }

    @Test
    void anEntryIsNotProposedAgainBehindOneThatWasTaken() {
        addAndFlush("a");
        addAndFlush("b");
        SealedEntry first = log.entries.removeFirst();

        batcher.rejected(first);
        assertThat(told).isEmpty();
        log.apply(batcher);

        assertThat(log.later).isEmpty();
        assertThat(told).containsExactly("a OVERLOADED", "b applied");
    }

    @Test
    void refusesWhatIsBeyondTheLimitAndTakesMoreOnceThereIsRoom() {
        addOfSize(900_000);
        add("small");
        addOfSize(500_000);
        assertThat(told).isEmpty(); // never called from inside add
        batcher.flush();

        assertThat(told).containsExactly("500000 OVERLOADED");
        log.apply(batcher);
        log.apply(batcher);
        addOfSize(500_000);
        batcher.flush();
        assertThat(log.entries).hasSize(1);
    }

    @Test
    void takesOneMutationBeyondTheLimitWhenNothingElseWaits() {
        addOfSize(5 << 20);
        batcher.flush();
        assertThat(log.entries).hasSize(1);
    }

    @Test
    void theEndFailsWhatWasSealedAndHandsBackTheRest() {
        addAndFlush("a");
        addAndFlush("b");
        addAndFlush("c");
        add("d").cancel();
        add("e");

        List<Proposal> unsealed = batcher.close(new RangeException(Cause.TIMEOUT, "ended"));

        assertThat(told).containsExactly("a TIMEOUT", "b TIMEOUT");
        assertThat(unsealed).extracting(Object::toString).containsExactly("c", "e");
        log.apply(batcher); // too late
        assertThat(told).hasSize(2);
    }

    @Test
    void whatIsHandedBackIsInTheOrderItCameIn() {
        addOfSize(900_000);
        batcher.flush();
        add("a");
        addOfSize(500_000);
        add("b");
        addOfSize(600_000);
        addOfSize(700_000);
        add("c");

        List<Proposal> unsealed = batcher.close(new RangeException(Cause.TIMEOUT, "ended"));

        assertThat(unsealed).extracting(Object::toString).containsExactly("a", "500000", "b", "600000", "700000", "c");
    }

    /** In the log it would stop every follower for good. Other proposals go on. */
    @Test
    void aMutationLargerThanTheLogTakesIsRefusedAndCounted() {
        addOfSize(6 << 20);
        batcher.flush();
        log.apply(batcher);
        assertThat(told).containsExactly("6291456 applied");
        told.clear();

        add("before");
        addGrowing("grown", 10, (6 << 20) + 1);
        add("behind");
        batcher.flush();
        assertThat(told).containsExactly("grown TOO_LARGE");
        assertThat(log.contents()).containsExactly("before,behind");
        assertThat(tooLarge.sum()).isOne();
        log.apply(batcher);
        assertThat(batcher.isIdle()).isTrue();
    }

    @Test
    void whatComesBehindOneThatIsTooLargeLeavesWithTheSameFlush() {
        addGrowing("grown", 10, (6 << 20) + 1);
        batcher.flush();
        assertThat(told).containsExactly("grown TOO_LARGE");

        addOfSize(300_000);
        addGrowing("again", 10, (6 << 20) + 1);
        add("behind");
        batcher.flush();
        assertThat(log.contents()).containsExactly("300000", "behind");
        assertThat(tooLarge.sum()).isEqualTo(2);
    }

    /** A proposal that is told of its refusal may propose more, before the waiting ones are sealed. */
    @Test
    void whatIsRefusedWhileOthersAreToldKeepsItsPlace() {
        addOfSize(600_000);
        batcher.add(new Named("refused", new byte[600_000]) {
            @Override
            public void failed(RangeException cause) {
                super.failed(cause);
                add("a");
                addOfSize(700_000);
            }
        });
        batcher.flush();
        add("b");

        assertThat(log.contents()).containsExactly("600000", "a");
        List<Proposal> unsealed = batcher.close(new RangeException(Cause.TIMEOUT, "ended"));
        assertThat(unsealed).extracting(Object::toString).containsExactly("700000", "b");
    }

    /** A proposal that has grown since it was added. */
    private void addGrowing(String name, int hint, int bytes) {
        batcher.add(new Named(name, new byte[bytes]) {
            @Override
            public int sizeHint() {
                return hint;
            }
        });
    }

    private Named add(String name) {
        Named proposal = new Named(name, name.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        batcher.add(proposal);
        return proposal;
    }

    private void addAndFlush(String name) {
        add(name);
        batcher.flush();
    }

    private void addOfSize(int bytes) {
        batcher.add(new Named(Integer.toString(bytes), new byte[bytes]));
    }

    private static List<byte[]> replies(SealedEntry entry) {
        return Collections.nCopies(entry.mutations().size(), new byte[0]);
    }

    private class Named extends Proposal {
        private final String name;
        private final byte[] mutation;

        Named(String name, byte[] mutation) {
            this.name = name;
            this.mutation = mutation;
        }

        @Override
        public int sizeHint() {
            return mutation.length;
        }

        @Override
        public byte[] encode() {
            return mutation;
        }

        @Override
        public void applied(byte[] reply) {
            told.add(name + " applied");
        }

        @Override
        public void failed(RangeException cause) {
            told.add(name + " " + cause.reason());
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** Holds entries until the test sets their outcome. */
    private static final class Log implements MutationBatcher.EntryLog {
        private final Deque<SealedEntry> entries = new ArrayDeque<>();
        private final Deque<Runnable> later = new ArrayDeque<>();

        @Override
        public void append(SealedEntry entry) {
            entries.add(entry);
        }

        @Override
        public void later(long delayMillis, Runnable task) {
            later.add(task);
        }

        void runLater() {
            later.removeFirst().run();
        }

        void apply(MutationBatcher batcher) {
            SealedEntry entry = entries.removeFirst();
            batcher.applied(entry, replies(entry));
        }

        List<String> contents() {
            return entries.stream()
                    .map(entry -> String.join(
                            ",",
                            entry.proposals().stream().map(Object::toString).toList()))
                    .toList();
        }
    }
}
