package io.godwit.kv.range.leader;

import io.godwit.kv.client.RangeException;
import io.godwit.kv.coprocessor.Proposal;
import io.godwit.kv.range.apply.SealedEntry;
import io.godwit.kv.range.replica.RangeSettings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * The {@link MutationBatcher} by itself, per mutation: queued, sealed into entries, answered. The log accepts each
 * entry at once and applies it next. Mutations that are cancelled before they are sealed are those that early push
 * saves.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class BatcherBenchmark {
    private static final int MUTATIONS = 4_096;

    /** Percentage of mutations that are cancelled. */
    @Param({"0", "50", "95"})
    public int cancelledPercent;

    private final Deque<SealedEntry> appended = new ArrayDeque<>();
    private byte[] mutation = {};
    private MutationBatcher batcher = newBatcher();
    private long answered;

    private MutationBatcher newBatcher() {
        return new MutationBatcher(
                new MutationBatcher.EntryLog() {
                    @Override
                    public void append(SealedEntry entry) {
                        appended.add(entry);
                    }

                    @Override
                    public void later(long delayMillis, Runnable task) {
                        throw new IllegalStateException("the log is never busy");
                    }
                },
                new RangeSettings(Long.MAX_VALUE, 1 << 20, 1 << 20, 5_000),
                new LongAdder());
    }

    @Setup
    public void setUp() {
        mutation = new byte[96];
        batcher = newBatcher();
    }

    @Benchmark
    @OperationsPerInvocation(MUTATIONS)
    public long queueSealAndAnswer() {
        List<Proposal> proposals = new ArrayList<>(MUTATIONS);
        for (int i = 0; i < MUTATIONS; i++) {
            Proposal proposal = new Insertion();
            proposals.add(proposal);
            batcher.add(proposal);
        }
        for (int i = 0; i < MUTATIONS; i++) {
            if (i % 100 < cancelledPercent) {
                proposals.get(i).cancel();
            }
        }
        batcher.flush();
        while (!appended.isEmpty()) {
            SealedEntry entry = appended.remove();
            batcher.applied(entry, Collections.nCopies(entry.proposals().size(), mutation));
            batcher.flush();
        }
        return answered;
    }

    private final class Insertion extends Proposal {
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
            answered++;
        }

        @Override
        public void failed(RangeException cause) {
            throw new IllegalStateException(cause);
        }
    }
}
