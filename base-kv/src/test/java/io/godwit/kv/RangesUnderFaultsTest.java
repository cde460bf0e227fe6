package io.godwit.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.godwit.kv.range.RocksResources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/**
 * Splits, merges, moves of leaders and deaths of nodes on one thread, see {@link RangeSimulation}. A failure names its seed: {@code -Dranges.seed=7} runs that
 * one alone, {@code -Dranges.steps=20000} for longer; with {@code -Plong} there are {@code -Dranges.seeds=300} from there on.
 */
class RangesUnderFaultsTest {
    private static final int STEPS = Integer.getInteger("ranges.steps", 6_000);
    private static final int FIXED_SEEDS = 4;
    private static final int SEEDS_TO_FIND = 40;

    private static RocksResources rocks;

    @BeforeAll
    static void open() {
        ((Logger) LoggerFactory.getLogger("io.godwit.kv")).setLevel(Level.OFF); // faults by the thousand, on purpose
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
    void nothingIsLostOfManySeedsEither() throws IOException {
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
    void seedHasOneCourse() throws IOException {
        long first = trace(5);
        assertThat(trace(5)).isEqualTo(first);
        assertThat(trace(6)).isNotEqualTo(first);
    }

    @ParameterizedTest
    @EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void faultThatIsPlantedIsFound(SimFault fault) {
        assertThatThrownBy(() -> {
                    for (long seed = 1; seed <= SEEDS_TO_FIND; seed++) {
                        run(seed, fault);
                    }
                })
                .as("planted %s", fault)
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("seed ")
                .satisfies(found -> System.out.println(fault + " found: "
                        + found.getMessage().lines().findFirst().orElse("")));
    }

    private static void add(Map<String, Integer> happened, Map<String, Integer> more) {
        more.forEach((what, count) -> happened.merge(what, count, Integer::sum));
    }

    private static long trace(long seed) throws IOException {
        try (RangeSimulation simulation = simulation(seed, SimFault.NONE)) {
            simulation.run(2_000);
            return simulation.trace();
        }
    }

    private static Map<String, Integer> run(long seed, SimFault fault) throws IOException {
        long begun = System.nanoTime();
        try (RangeSimulation simulation = simulation(seed, fault)) {
            simulation.run(STEPS);
            return simulation.happened();
        } finally {
            System.out.println("seed " + seed + " " + fault + " ms=" + (System.nanoTime() - begun) / 1_000_000);
        }
    }

    private static RangeSimulation simulation(long seed, SimFault fault) throws IOException {
        Path memory = Path.of("/dev/shm"); // fsync costs nothing there
        Path root = Files.isWritable(memory)
                ? Files.createTempDirectory(memory, "godwit-ranges-")
                : Files.createTempDirectory("godwit-ranges-");
        return new RangeSimulation(seed, fault, root, rocks);
    }
}
