package io.godwit.perf.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starts and stops processes in place of brokers. */
class BrokerClusterTest {
    @TempDir
    private Path home;

    private final List<String> said = new ArrayList<>();

    private ClusterSetup settings(String behaviour, boolean isKeepingLogs) throws Exception {
        UnpackedDistribution distribution = FakeDistribution.make(home.resolve("dist"), behaviour, 3);
        return new ClusterSetup(distribution, 3, 3, "64m", List.of(), false, isKeepingLogs);
    }

    private static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }

    @Test
    void nothingIsLeftOfAClusterThatHasEnded() throws Exception {
        Process other = new ProcessBuilder("sleep", "300").start();
        try {
            BrokerCluster cluster = BrokerCluster.start(settings(FakeDistribution.SERVING, false), said::add);
            List<Long> pids = cluster.pids();
            Path directory = cluster.directory();

            assertThat(pids).hasSize(3).doesNotHaveDuplicates().allMatch(BrokerClusterTest::isAlive);
            assertThat(cluster.endpoints()).hasSize(3).doesNotHaveDuplicates();
            assertThat(said).last().asString().contains("dist 1 range of 3 voters", "retain 1 range of 3 voters");
            cluster.close();

            assertThat(pids).noneMatch(BrokerClusterTest::isAlive);
            assertThat(directory).doesNotExist();
            assertThat(other.isAlive())
                    .as("a process that the tool has not started keeps running")
                    .isTrue();
            cluster.close(); // nothing happens
        } finally {
            other.destroyForcibly();
        }
    }

    @Test
    void filesAreTheirOwnersAlone() throws Exception {
        try (BrokerCluster cluster = BrokerCluster.start(settings(FakeDistribution.SERVING, false), said::add)) {
            try (Stream<Path> files = Files.walk(cluster.directory())) {
                assertThat(files.filter(file -> Files.isDirectory(file) || file.endsWith("standalone.yml")))
                        .hasSizeGreaterThanOrEqualTo(10)
                        .allSatisfy(
                                file -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                                        .isIn("rwx------", "rw-------"));
            }
            assertThat(cluster.directory().resolve("n1/start.out"))
                    .content()
                    .contains("options: -Dinbox_store_replica_voter_count=3 -Xmx64m");
        }
    }

    @Test
    void logsThatAreKeptStayWithoutTheData() throws Exception {
        BrokerCluster cluster = BrokerCluster.start(settings(FakeDistribution.SERVING, true), said::add);
        cluster.close();
        Path directory = cluster.directory();
        try {
            assertThat(said).last().isEqualTo("cluster: logs are kept in " + directory);
            assertThat(directory.resolve("n3/start.out")).exists();
            assertThat(directory.resolve("n3/standalone.yml")).exists();
            assertThat(directory.resolve("n3/data")).doesNotExist();
        } finally {
            OwnerFiles.remove(directory);
        }
    }

    @Test
    void aBrokerThatDoesNotStartEndsTheOthers() throws Exception {
        assertThatThrownBy(() -> BrokerCluster.start(settings(FakeDistribution.SECOND_FAILS, false), said::add))
                .isInstanceOf(ClusterFailedException.class)
                .hasMessageContaining("broker 2 of 3 has ended")
                .hasMessageContaining("the port is taken");

        List<String> started = Files.readAllLines(home.resolve("dist/started"));
        assertThat(started).isNotEmpty().allSatisfy(line -> {
            String[] words = line.split(" ", -1);
            assertThat(isAlive(Long.parseLong(words[0]))).isFalse();
            assertThat(Path.of(words[1]).getParent().getParent()).doesNotExist();
        });
    }

    @Test
    void aBrokerThatEndsLaterIsNoticed() throws Exception {
        try (BrokerCluster cluster = BrokerCluster.start(settings(FakeDistribution.SERVING, false), said::add)) {
            cluster.requireAlive();
            ProcessHandle lost = ProcessHandle.of(cluster.pids().get(1)).orElseThrow();
            lost.destroyForcibly();
            lost.onExit().get(10, TimeUnit.SECONDS);

            assertThatThrownBy(cluster::requireAlive).hasMessageContaining("broker 2 of 3 has ended");
        }
    }

    @Test
    void aBrokerThatIsKilledOnPurposeIsNotMissedAndCanBeStartedAgain() throws Exception {
        try (BrokerCluster cluster = BrokerCluster.start(settings(FakeDistribution.LOGGING, false), said::add)) {
            List<Long> pids = cluster.pids();

            cluster.kill(2);

            assertThat(pids).map(BrokerClusterTest::isAlive).containsExactly(true, false, true);
            cluster.requireAlive();
            cluster.restart(2);
            Rejoin rejoin = cluster.awaitRejoin(2, 1, Await.PATIENCE);

            assertThat(Duration.between(rejoin.linked(), rejoin.known())).hasMillis(1_000);
            assertThat(Duration.between(rejoin.linked(), rejoin.serving())).hasMillis(2_250);
            assertThat(cluster.pids()).allMatch(BrokerClusterTest::isAlive).doesNotContain(pids.get(1));
        }
    }

    @Test
    void aBrokerThatWasNotKilledIsNotStartedTwice() throws Exception {
        try (BrokerCluster cluster = BrokerCluster.start(settings(FakeDistribution.SERVING, false), said::add)) {
            assertThatThrownBy(() -> cluster.restart(2)).hasMessage("broker 2 has not been killed");
        }
    }

    @Test
    void aBrokerThatDoesNotFindBackIsNamed() throws Exception {
        try (BrokerCluster cluster = BrokerCluster.start(settings(FakeDistribution.LOGGING, false), said::add)) {
            cluster.kill(2);
            Files.writeString(home.resolve("dist/bin/standalone.sh"), "#!/bin/sh\nexec sleep 300\n");
            cluster.restart(2);

            assertThatThrownBy(() -> cluster.awaitRejoin(2, 1, Duration.ofMillis(300)))
                    .isInstanceOf(ClusterFailedException.class)
                    .hasMessageContaining("broker 2, started again, does not serve after 0 s");
        }
    }

    /** Takes ten seconds, after which brokers are killed. */
    @Test
    @Tag("full")
    void aBrokerThatDoesNotEndIsKilled() throws Exception {
        BrokerCluster cluster = BrokerCluster.start(settings(FakeDistribution.STUBBORN, false), said::add);
        List<Long> pids = cluster.pids();

        cluster.close();

        assertThat(pids).noneMatch(BrokerClusterTest::isAlive);
    }

    /** As with Ctrl-C, where the JVM ends by a signal and its shutdown hooks run as well. */
    @Test
    void aToolThatIsEndedByASignalEndsItsBrokers() throws Exception {
        settings(FakeDistribution.SERVING, false);
        Process tool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        "-Djava.io.tmpdir=" + home,
                        Starter.class.getName(),
                        home.resolve("dist").toString())
                .redirectErrorStream(true)
                .start();
        List<Long> pids = new ArrayList<>();
        try (var lines = tool.inputReader()) {
            String line;
            while (pids.isEmpty() && (line = lines.readLine()) != null) {
                if (line.startsWith("pids ")) {
                    Stream.of(line.substring(5).split(" ")).map(Long::valueOf).forEach(pids::add);
                }
            }
            assertThat(pids).hasSize(3).allMatch(BrokerClusterTest::isAlive);
            tool.destroy();
            assertThat(tool.waitFor(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            tool.destroyForcibly();
        }

        assertThat(pids).noneMatch(BrokerClusterTest::isAlive);
        try (Stream<Path> left = Files.list(home)) {
            assertThat(left.map(file -> file.getFileName().toString())).containsExactly("dist");
        }
    }

    /** Starts a cluster, prints the pids of its processes and waits for a signal. */
    static final class Starter {
        private Starter() {}

        public static void main(String[] args) throws Exception {
            UnpackedDistribution distribution = new UnpackedDistribution(Path.of(args[0]));
            BrokerCluster cluster = BrokerCluster.start(
                    new ClusterSetup(distribution, 3, 3, "64m", List.of(), false, false), System.out::println);
            System.out.println("pids "
                    + String.join(
                            " ", cluster.pids().stream().map(String::valueOf).toList()));
            Thread.currentThread().join(TimeUnit.MINUTES.toMillis(5));
        }
    }
}
