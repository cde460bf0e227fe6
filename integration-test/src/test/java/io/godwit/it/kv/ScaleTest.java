package io.godwit.it.kv;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.ProcStat;
import io.godwit.it.kv.IdleBrokers.Use;
import io.godwit.it.kv.LargeRange.Copy;
import io.godwit.it.kv.SteadyLoad.Figures;
import io.godwit.it.kv.node.FillText;
import io.godwit.it.kv.node.OperatorText.RangeText;
import io.godwit.testing.Await;
import io.godwit.testing.Pace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What many ranges, and large ones, cost. The figures are logged; {@code docs/performance-log.md} has them. Those that
 * need minutes run with {@code -Plong}, the same in small each time; {@code -Dscale.registers=N} moves a smaller range
 * than that of a gigabyte.
 */
class ScaleTest {
    private static final Logger LOG = LoggerFactory.getLogger(ScaleTest.class);
    private static final long MIB = 1L << 20;
    private static final int VALUE_BYTES = 1_000;
    private static final int CLIENTS = 16;
    private static final int PAUSE_MILLIS = 5;
    private static final double MOST_PAUSE_MILLIS = 500;
    private static final double MOST_P99_MILLIS = 1_000;

    @TempDir
    private Path directory;

    /** At rest, when the compilers of the JVM are done as well: for two minutes they take more than all else. */
    @Test
    @Tag("long")
    void twoHundredIdleRangesCostLittle() throws Exception {
        idle(200, Duration.ofMinutes(2), Duration.ofMinutes(1), 0.1, 400 * MIB);
    }

    /** Within seconds of their start: the compilers are at work, and what the splits have left is cleared away. */
    @Test
    @Tag("full")
    @Tag("alone")
    void twentyIdleRangesCostLittle() throws Exception {
        idle(20, Duration.ofSeconds(1), Duration.ofSeconds(4), 0.5, 100 * MIB);
    }

    private void idle(int ranges, Duration rest, Duration time, double mostCores, long mostBytes) throws IOException {
        try (IdleBrokers brokers = new IdleBrokers(directory)) {
            List<Use> empty = brokers.use(rest, time);
            LOG.info("scale: idle, a range a store: {}", empty);
            brokers.splitTo(ranges);
            List<Use> full = brokers.use(rest, time);
            LOG.info("scale: idle, {} ranges: {}", ranges, full);
            for (int i = 0; i < full.size(); i++) {
                assertThat(full.get(i).cores()).as("cores of node %d", i).isLessThan(mostCores);
                assertThat(full.get(i).residentBytes() - empty.get(i).residentBytes())
                        .as("bytes more of node %d", i)
                        .isLessThan(mostBytes);
            }
        }
    }

    @Test
    @Tag("long")
    void aGigabyteIsMovedWhileItIsWrittenTo() throws Exception {
        move(
                Integer.getInteger("scale.registers", 1_000_000),
                NodeTerms.SMALL.with(128 * MIB, 64 * MIB, 32 * MIB),
                Duration.ofSeconds(10));
    }

    /** Whether the receiver finds tables of the newer snapshot among what it had depends on when that was taken. */
    @Test
    @Tag("long")
    void thirtyMegabytesAreMovedWhileTheyAreWrittenTo() throws Exception {
        move(32_000, NodeTerms.SMALL.with(32 * MIB, 8 * MIB, 8 * MIB), Duration.ofSeconds(2));
    }

    /** To a fourth node, which is killed when it has a third of it, and then is the leader. */
    private void move(int registers, NodeTerms terms, Duration time) throws IOException {
        long bytes = (long) registers * VALUE_BYTES;
        try (LargeRange range = new LargeRange(directory, logs("move"), 4, registers, VALUE_BYTES, terms)) {
            LOG.info("scale: {} MB written in {} ms", bytes / 1_000_000, range.fill());
            RangeText first = range.ranges(0).get(0);
            int leader = range.leader(first);
            int source = range.follower(first);
            int target = range.absent(first);
            try (SteadyLoad load = load(range, leader, registers)) {
                Pace.pass(time);
                long begun = System.nanoTime();
                LOG.info("scale: before the move: {}", figures(load, begun - time.toNanos(), begun));

                range.change(leader, 0, "replica", "ADD_LEARNER " + range.store(target));
                long copied = awaitCopied(range, target, bytes / 3);
                double firstSeconds = (System.nanoTime() - begun) / 1e9;
                range.node(target).kill();
                range.restart(target);
                range.change(leader, 0, "replica", "PROMOTE " + range.store(target));
                long arrived = System.nanoTime();
                Figures meanwhile = figures(load, begun, arrived);
                List<Copy> copies = range.copies(target);
                LOG.info(
                        "scale: moved in {} ms, killed after {} MB in {} s, then {}: {}",
                        TimeUnit.NANOSECONDS.toMillis(arrived - begun),
                        copied / MIB,
                        firstSeconds,
                        copies,
                        meanwhile);
                assertThat(copied / firstSeconds).isLessThan(1.1 * terms.snapshotBytesPerSecond());
                assertThat(copies)
                        .isNotEmpty()
                        .allSatisfy(copy ->
                                assertThat(copy.bytesPerSecond()).isLessThan(1.1 * terms.snapshotBytesPerSecond()));
                assertThat(copies.get(0).before())
                        .as("bytes that were copied before the interruption and not again")
                        .isGreaterThan(copied / 2);
                assertThat(meanwhile.p99Millis()).isLessThan(MOST_P99_MILLIS);

                range.change(leader, 0, "replica", "REMOVE " + range.store(source));
                range.change(leader, 0, "transfer", range.store(target));
                load.finish();
                range.node(leader).kill();
                assertThat(range.ranges(target).get(0).leader()).isEqualTo(range.store(target));
                assertThat(range.differences(target)).isEmpty();
                assertThat(load.missing(range.node(target).address())).isEmpty();
            }
        }
    }

    /** Of the last run, below {@code target}. */
    private static Path logs(String name) throws IOException {
        Path logs = Path.of("target", "scale", name);
        if (Files.isDirectory(logs)) {
            try (Stream<Path> files = Files.list(logs)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
        }
        return logs;
    }

    private static SteadyLoad load(LargeRange range, int node, int registers) {
        return new SteadyLoad(range.node(node).address(), CLIENTS, registers, VALUE_BYTES, PAUSE_MILLIS);
    }

    private static Figures figures(SteadyLoad load, long from, long to) {
        return load.figures("", "z", from, to);
    }

    private static long awaitCopied(LargeRange range, int node, long bytes) throws IOException {
        Await looks = Await.atMost(Duration.ofMinutes(2));
        long copied;
        do {
            if (!looks.again()) {
                throw new IOException(
                        "no " + bytes + " bytes copied" + range.node(node).said());
            }
            copied = range.copied(node);
        } while (copied < bytes);
        return copied;
    }

    @Test
    @Tag("long")
    void aQuarterOfAGigabyteIsSplitWhileItIsWrittenTo() throws Exception {
        split(268_000, Duration.ofSeconds(5), true);
    }

    @Test
    @Tag("long")
    void sixteenMegabytesAreSplitWhileTheyAreWrittenTo() throws Exception {
        split(16_000, Duration.ofSeconds(2), false);
    }

    /** In the middle, and joins the halves again. */
    private void split(int registers, Duration time, boolean looksAtSpace) throws IOException {
        long bytes = (long) registers * VALUE_BYTES;
        NodeTerms terms = NodeTerms.SMALL.with(128 * MIB, 64 * MIB, 64 * MIB);
        try (LargeRange range = new LargeRange(directory, logs("split"), 3, registers, VALUE_BYTES, terms)) {
            LOG.info("scale: {} MB written in {} ms", bytes / 1_000_000, range.fill());
            int leader = range.leader(range.ranges(0).get(0));
            String middle = FillText.key(registers / 2);
            try (SteadyLoad load = load(range, leader, registers)) {
                Pace.pass(time);
                long begun = System.nanoTime();
                LOG.info("scale: before the split: {}", figures(load, begun - time.toNanos(), begun));
                range.change(leader, 0, "split", middle);
                long done = System.nanoTime();
                Pace.passMillis(1_000);
                checkPause("split", load, middle, begun, done);
            }
            if (looksAtSpace) {
                watchSpace(range, leader, bytes);
            }
            try (SteadyLoad load = load(range, leader, registers)) {
                Pace.pass(time);
                RangeText right = range.ranges(leader).get(1);
                long begun = System.nanoTime();
                range.change(leader, 0, "merge", right.id() + " " + right.epoch());
                long done = System.nanoTime();
                Pace.pass(time);
                LOG.info(
                        "scale: merged in {} ms; left {}; right {}",
                        TimeUnit.NANOSECONDS.toMillis(done - begun),
                        load.figures("", middle, begun, done + time.toNanos()),
                        load.figures(middle, "z", begun, done + time.toNanos()));
                load.finish();
                assertThat(range.ranges(leader)).hasSize(1);
                assertThat(range.differences(leader)).isEmpty();
                assertThat(load.missing(range.node(leader).address())).isEmpty();
            }
        }
    }

    private static void checkPause(String what, SteadyLoad load, String middle, long begun, long done) {
        long second = TimeUnit.SECONDS.toNanos(1);
        Figures left = load.figures("", middle, begun, done + second);
        Figures right = load.figures(middle, "z", begun, done + second);
        LOG.info(
                "scale: {} in {} ms; left {}; right {}",
                what,
                TimeUnit.NANOSECONDS.toMillis(done - begun),
                left,
                right);
        for (Figures half : List.of(left, right)) {
            assertThat(half.longestGapMillis())
                    .as("the longest pause in milliseconds")
                    .isLessThan(MOST_PAUSE_MILLIS);
            assertThat(half.p99Millis()).isLessThan(MOST_P99_MILLIS);
        }
    }

    /** Each half has links to all files at first. */
    private static void watchSpace(LargeRange range, int node, long bytes) throws IOException {
        ProcessHandle process = range.node(node).handle();
        long begun = System.nanoTime();
        long written = ProcStat.writtenBytes(process.pid());
        long before = range.rangeBytes(node);
        long most = before;
        long fastest = 0;
        long now = before;
        for (int second = 0; second < 60; second++) {
            long last = ProcStat.writtenBytes(process.pid());
            Pace.passMillis(1_000);
            fastest = Math.max(fastest, ProcStat.writtenBytes(process.pid()) - last);
            now = range.rangeBytes(node);
            most = Math.max(most, now);
            LOG.info("scale: space {} MB after {} s", now / 1_000_000, second + 1);
        }
        LOG.info(
                "scale: space of {} MB: {} MB after the split, {} at most, {} after {} s; {} MB written, {} MB "
                        + "in a second at most",
                bytes / 1_000_000,
                before / 1_000_000,
                most / 1_000_000,
                now / 1_000_000,
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun),
                (ProcStat.writtenBytes(process.pid()) - written) / 1_000_000,
                fastest / 1_000_000);
        assertThat(now).isLessThan(bytes * 5 / 4);
    }
}
