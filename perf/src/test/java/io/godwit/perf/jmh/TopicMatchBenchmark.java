package io.godwit.perf.jmh;

import io.godwit.dist.index.Matches;
import io.godwit.dist.index.TenantIndex;
import io.godwit.plugin.client.ClientId;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * One look-up in the index, by the number of filters and of matches. The topic is a new string each time, as when it is
 * read from the network, and the next of 4,096, so that neither its hash nor its path is cached.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class TopicMatchBenchmark {
    private static final int TOPICS = 4_096;
    private static final ClientId PUBLISHER = new ClientId("publisher");

    @Param({"1000", "10000", "100000", "1000000"})
    public int filters;

    private TenantIndex index = MixedFilters.index(0);
    private final byte[][] exact = new byte[TOPICS][];
    private final byte[][] plus = new byte[TOPICS][];
    private final byte[] ten = MixedFilters.ANSWERED_BY_TEN.getBytes(StandardCharsets.UTF_8);
    private final byte[] thousand = MixedFilters.ANSWERED_BY_A_THOUSAND.getBytes(StandardCharsets.UTF_8);

    /** The position of each thread in the topics. */
    @State(Scope.Thread)
    public static class Position {
        private int next;

        private int move() {
            next = next + 1 & TOPICS - 1;
            return next;
        }
    }

    @Setup
    public void setUp() {
        index = MixedFilters.index(filters);
        MixedFilters.addCrowds(index);
        Random random = new Random(42);
        choose(random, exact, 0, MixedFilters::exactTopic);
        choose(random, plus, 7, MixedFilters::plusTopic);
        expect(1, exact[0]);
        expect(1, plus[0]);
        expect(10, ten);
        expect(1_000, thousand);
    }

    private void choose(Random random, byte[][] topics, int kind, IntFunction<String> topic) {
        for (int i = 0; i < TOPICS; i++) {
            topics[i] = topic.apply(random.nextInt(filters / 10) * 10 + kind).getBytes(StandardCharsets.UTF_8);
        }
    }

    private void expect(int count, byte[] topic) {
        int found = match(topic).size();
        if (found != count) {
            throw new IllegalStateException(text(topic) + " must match " + count + ", matched " + found);
        }
    }

    private static String text(byte[] topic) {
        return new String(topic, StandardCharsets.UTF_8);
    }

    private Matches match(byte[] topic) {
        return index.match(text(topic), PUBLISHER);
    }

    @Benchmark
    public Matches exactHit(Position position) {
        return match(exact[position.move()]);
    }

    @Benchmark
    public Matches oneWildcard(Position position) {
        return match(plus[position.move()]);
    }

    @Benchmark
    public Matches tenMatches() {
        return match(ten);
    }

    @Benchmark
    public Matches thousandMatches() {
        return match(thousand);
    }
}
