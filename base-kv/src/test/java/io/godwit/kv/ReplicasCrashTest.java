package io.godwit.kv;

import static io.godwit.kv.KvCluster.append;
import static io.godwit.kv.KvCluster.await;
import static io.godwit.kv.KvCluster.read;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.range.Range;
import io.godwit.plugin.balance.BalanceAction.ChangeReplica.Step;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A node dies between any two steps in which a replica comes or goes ({@code Replicas}). Every step writes to its own
 * place, so the state between two steps is composed of copies from before and after: the register is in the log, the
 * rest in the directory of the range, in {@code STORES} and in {@code damaged}.
 */
@Tag("slow")
@Timeout(180)
class ReplicasCrashTest {
    private static final int NODE = 3;
    private static final List<String> STORES = List.of("STORES");
    private static final List<String> FILES = List.of("test");

    @TempDir
    Path directory;

    private Path data() {
        return directory.resolve("node-" + NODE);
    }

    private Path copy(String name) throws IOException {
        Path copy = directory.resolve(name);
        copyTree(data(), copy);
        return copy;
    }

    /** Replaces the node's data by a copy, with some parts from another copy. */
    private void compose(Path copy, Path other, List<String> ofOther) throws IOException {
        Path incarnation =
                data().resolve("INCARNATION"); // the latest, or the others would take it for an older process
        byte[] latest = Files.readAllBytes(incarnation);
        delete(data());
        copyTree(copy, data());
        for (String name : ofOther) {
            delete(data().resolve(name));
            if (Files.exists(other.resolve(name))) {
                copyTree(other.resolve(name), data().resolve(name));
            }
        }
        Files.write(incarnation, latest);
    }

    private static boolean hasAll(KvCluster cluster) {
        Range here = cluster.store(NODE).ranges().find(1);
        Range leader = cluster.store(1).ranges().find(1);
        return here != null
                && leader != null
                && here.lastLogIndex() == leader.lastLogIndex()
                && here.state().epoch() == leader.state().epoch();
    }

    @Test
    @Tag("full")
    @Execution(ExecutionMode.CONCURRENT) // of the class, it would run beside other classes
    void aReplicaThatWasComingComes() throws Exception {
        try (KvCluster cluster = new KvCluster(directory)) {
            cluster.startAll();
            append(cluster.client(1), "k", "a").get(30, TimeUnit.SECONDS);
            cluster.stop(NODE);
            Path before = copy("before");
            cluster.start(NODE);
            cluster.change(1, Step.ADD_LEARNER, cluster.id(NODE));
            await("copied", () -> hasAll(cluster));
            cluster.stop(NODE);
            Path after = copy("after");
            assertThat(before.resolve("STORES")).doesNotExist();
            assertThat(after.resolve("test/range-1/db/CURRENT")).exists();

            String expected = "a";
            for (List<String> stillBefore : List.of(
                    List.of("raft-log", "raft-log.synced", "STORES", "test"), // asked, and nothing done
                    List.of("raft-log", "raft-log.synced", "STORES"), // the directory
                    STORES, // and the register
                    List.<String>of())) { // and the store's name; not started
                compose(after, before, stillBefore);
                cluster.start(NODE);
                append(cluster.client(1), "k", "+").get(30, TimeUnit.SECONDS);
                expected += "+";
                await("without " + stillBefore, () -> hasAll(cluster));
                assertThat(Files.readString(data().resolve("STORES"))).contains("test");
                assertThat(read(cluster.client(NODE), "k")).isEqualTo(expected);
                cluster.stop(NODE);
            }
        }
    }

    @Test
    @Tag("full")
    @Execution(ExecutionMode.CONCURRENT)
    void aReplicaThatWasGoingIsGone() throws Exception {
        try (KvCluster cluster = new KvCluster(directory)) {
            cluster.startAll();
            append(cluster.client(1), "k", "a").get(30, TimeUnit.SECONDS);
            cluster.change(1, Step.ADD_LEARNER, cluster.id(NODE));
            await("copied", () -> hasAll(cluster));
            cluster.stop(NODE);
            Path with = copy("with");
            cluster.start(NODE);
            cluster.change(1, Step.REMOVE, cluster.id(NODE));
            await("deleted", () -> !Files.exists(data().resolve("test/range-1")));
            cluster.stop(NODE);
            Path without = copy("without");

            compose(without, with, FILES); // the register alone
            cluster.start(NODE);
            assertThat(data().resolve("test/range-1")).doesNotExist();
            assertThat(data().resolve("damaged")).doesNotExist();
            cluster.stop(NODE);

            compose(with, without, List.of()); // it was never told, and hears of it now
            cluster.start(NODE);
            await("deleted at last", () -> !Files.exists(data().resolve("test/range-1")));
            cluster.change(1, Step.ADD_LEARNER, cluster.id(NODE));
            await("copied again", () -> hasAll(cluster));
        }
    }

    /** The replica had stopped after a fault: its files are kept, even by a start that finds it half removed. */
    @Test
    void filesOfADamagedReplicaThatWasGoingAreKept() throws Exception {
        try (KvCluster cluster = new KvCluster(directory)) {
            cluster.startAll();
            cluster.replicate();
            append(cluster.client(1), "k", "a").get(30, TimeUnit.SECONDS);
            cluster.moveLeader(1, 1);
            cluster.stop(NODE);
            Path current = data().resolve("test/range-1/db/CURRENT");
            Files.writeString(current, "MANIFEST-nothing\n");
            Path with = copy("with");
            cluster.start(NODE);
            await("told", () -> !cluster.only(1).faults().isEmpty());
            cluster.change(1, Step.REMOVE, cluster.id(NODE));
            await("kept", () -> Files.exists(data().resolve("damaged")));
            await("gone", () -> cluster.only(1).faults().isEmpty());
            cluster.stop(NODE);
            Path without = copy("without");
            List<String> kept = names(data().resolve("damaged"));
            assertThat(kept).singleElement().asString().startsWith("test-1-at-");

            compose(without, with, List.of("test", "damaged")); // the register alone
            assertThat(data().resolve("damaged")).doesNotExist();
            cluster.start(NODE);
            assertThat(names(data().resolve("damaged"))).isEqualTo(kept);
            assertThat(data().resolve("damaged/" + kept.get(0) + "/db/CURRENT")).hasContent("MANIFEST-nothing\n");
            assertThat(data().resolve("test/range-1")).doesNotExist();
            cluster.change(1, Step.ADD_LEARNER, cluster.id(NODE));
            await("copied again", () -> hasAll(cluster));
            assertThat(names(data().resolve("damaged"))).isEqualTo(kept);

            // it dies again as soon as the empty directory is there, which must not be kept
            cluster.change(1, Step.REMOVE, cluster.id(NODE));
            await("deleted", () -> !Files.exists(data().resolve("test/range-1")));
            assertThat(names(data().resolve("damaged"))).isEqualTo(kept);
        }
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static void copyTree(Path from, Path to) throws IOException {
        try (Stream<Path> tree = Files.walk(from)) {
            for (Path path : tree.sorted().toList()) {
                Files.copy(path, to.resolve(from.relativize(path)));
            }
        }
    }

    private static void delete(Path tree) throws IOException {
        if (Files.exists(tree)) {
            try (Stream<Path> files = Files.walk(tree)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }
}
