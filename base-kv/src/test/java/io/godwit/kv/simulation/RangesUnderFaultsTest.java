package io.godwit.kv.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.godwit.kv.range.data.RocksResources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/**
 * Splits, merges, moves of leaders and deaths of nodes on one thread, see {@link RangeSimulation}. A failure names its
 * seed: {@code -Dranges.seed=7} runs only that one, {@code -Dranges.steps=20000} runs longer. With {@code -Plong},
 * {@code -Dranges.seeds=300} runs that many seeds, beginning at {@code ranges.seed}.
 */
@Tag("slow")
class RangesUnderFaultsTest {
    private static final int STEPS = Integer.getInteger("ranges.steps", 4_000);
    private static final int FIXED_SEEDS = 2;
    private static final int SEEDS_TO_FIND = 40;
    /** For the files of three nodes, and copies of those that crash. */
    private static final long ROOM_BYTES = 512L << 20;

    private static RocksResources rocks;

    @BeforeAll
    static void open() {
        ((Logger) LoggerFactory.getLogger("io.godwit.kv")).setLevel(Level.OFF); // thousands of faults, on purpose
        rocks = new RocksResources(16 << 20, 8 << 20);
    }

    @AfterAll
    static void close() {
        rocks.close();
        ((Logger) LoggerFactory.getLogger("io.godwit.kv")).setLevel(null);
    }

    @Test
    void nothingIsLostDoubledOrServedTwiceWhileRangesAndNodesComeAndGo() throws IOException {
        Map<String, Integer> happened = new TreeMap<>();
        Long chosen = Long.getLong("ranges.seed");
        if (chosen != null) {
            add(happened, run(chosen, SimFault.NONE));
        } else {
            for (long seed = 1; seed <= FIXED_SEEDS; seed++) {
                add(happened, run(seed, SimFault.NONE));
            }
            long fresh = ThreadLocalRandom.current().nextInt(1_000_000);
            System.out.println("ranges under faults: seed " + fresh);
            add(happened, run(fresh, SimFault.NONE));
        }
        System.out.println("ranges under faults: " + happened);
        assertThat(happened).containsKeys("splits DONE", "merges DONE", "transfers DONE", "writes", "reads");
    }

    @Tag("long")
    @Test
    void nothingIsLostWithManySeeds() throws IOException {
        long first = Long.getLong("ranges.seed", ThreadLocalRandom.current().nextInt(1_000_000));
        int count = Integer.getInteger("ranges.seeds", 300);
        System.out.println("ranges under faults: " + count + " seeds from " + first);
        Map<String, Integer> happened = new TreeMap<>();
        for (long seed = first; seed < first + count; seed++) {
            add(happened, run(seed, SimFault.NONE));
        }
        System.out.println("ranges under faults: " + happened);
    }

    @Test
    void aNodeThatHasCaughtUpKnowsAllEarlierAnswers() throws IOException {
        List<Long> seeds = new ArrayList<>();
        Long chosen = Long.getLong("ranges.seed");
        if (chosen == null) { // a fresh seed may have no merge; the fixed ones have some
            LongStream.rangeClosed(1, FIXED_SEEDS).forEach(seeds::add);
        }
        long first = chosen != null ? chosen : ThreadLocalRandom.current().nextInt(1_000_000);
        long count = Integer.getInteger("ranges.mirrors", 1);
        LongStream.range(first, first + count).forEach(seeds::add);
        System.out.println("ranges that catch up: seeds " + seeds);
        Map<String, Integer> happened = new TreeMap<>();
        for (long seed : seeds) {
            try (RangeSimulation simulation = simulation(seed, SimFault.NONE).catchingUp()) {
                simulation.run(STEPS);
                add(happened, simulation.happened());
            }
        }
        System.out.println("ranges that catch up: " + happened);
        assertThat(happened).containsKeys("splits DONE", "merges DONE", "catch-ups");
    }

    @Test
    void aSeedAlwaysGivesTheSameRun() throws IOException {
        long first = trace(5);
        assertThat(trace(5)).isEqualTo(first);
        assertThat(trace(6)).isNotEqualTo(first);
    }

    /** Each fault is found with the given seeds, as long as the simulation stays the same. */
    @ParameterizedTest
    @CsvSource({
        "ACKNOWLEDGED_BEFORE_COMMIT, 1",
        "LOG_TAIL_IS_LOST, 1",
        "READS_WITHOUT_A_MAJORITY, 1",
        "FORWARDING_IS_FORGOTTEN, 1",
        "CHILD_IS_MADE_AGAIN, 1",
        "MERGE_COPIES_NOTHING, 1",
        "SNAPSHOT_CLAIMS_TOO_MUCH, 8"
    })
    void aPlantedFaultIsFound(SimFault fault, long firstSeed) {
        assertThatThrownBy(() -> {
                    for (long seed = firstSeed; seed < firstSeed + SEEDS_TO_FIND; seed++) {
                        run(seed, fault);
                    }
                })
                .as("planted %s", fault)
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("seed ")
                .satisfies(found -> System.out.println("ranges under faults: " + fault + " found: "
                        + found.getMessage().lines().findFirst().orElse("")));
    }

    private static void add(Map<String, Integer> happened, Map<String, Integer> more) {
        more.forEach((what, count) -> happened.merge(what, count, Integer::sum));
    }

    private static long trace(long seed) throws IOException {
        try (RangeSimulation simulation = simulation(seed, SimFault.NONE)) {
            simulation.run(1_500);
            return simulation.trace();
        }
    }

    private static Map<String, Integer> run(long seed, SimFault fault) throws IOException {
        try (RangeSimulation simulation = simulation(seed, fault)) {
            simulation.run(STEPS);
            return simulation.happened();
        }
    }

    private static RangeSimulation simulation(long seed, SimFault fault) throws IOException {
        Path memory = Path.of("/dev/shm"); // fsync costs nothing there
        Path root = Files.isWritable(memory) && Files.getFileStore(memory).getUsableSpace() > ROOM_BYTES
                ? Files.createTempDirectory(memory, "godwit-ranges-")
                : Files.createTempDirectory("godwit-ranges-");
        return new RangeSimulation(seed, fault, root, rocks);
    }
}
