package io.godwit.kv.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.config.ClusterConfig;
import io.godwit.cluster.config.HostPort;
import io.godwit.kv.disk.DataDirectory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ClusterEntryTest {
    /** A loopback network of its own, so that tests at the same time do not meet. */
    private final String network = "127." + ThreadLocalRandom.current().nextInt(2, 250) + "."
            + ThreadLocalRandom.current().nextInt(2, 250) + ".";

    private final int port = ThreadLocalRandom.current().nextInt(20_000, 31_000);

    @TempDir
    private Path directory;

    private final Queue<String> waited = new ConcurrentLinkedQueue<>();

    /** The seed may be slow to answer and belong to another cluster: then this node must not start beside it. */
    @Test
    void nodeWithDataWaitsForASeedThatListensAndIsNotSeen() throws Exception {
        try (ServerSocket silent = new ServerSocket(port, 50, InetAddress.getByName(network + 2))) {
            Duration took = enter();
            assertThat(waited)
                    .anyMatch(cause -> cause.contains(silent.getInetAddress().getHostAddress() + ":" + port));
            assertThat(took).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(30));
        }
    }

    @Test
    void nodeWithDataWaitsForNoSeedWhereNobodyListens() throws Exception {
        enter();
        assertThat(waited).allMatch(String::isEmpty);
    }

    private Duration enter() throws Exception {
        DataDirectory.open(directory).close();
        ClusterConfig cluster = new ClusterConfig(
                "entry",
                network + 1,
                port,
                port + 1,
                "",
                List.of(new HostPort(network + 2, port)),
                null,
                ClusterConfig.DEFAULT_MAX_MESSAGE_BYTES);
        MemberSettings settings = new MemberSettings(cluster, "test", "");
        StartProgress progress = new StartProgress() {
            @Override
            public void claimed() {
                // the test has claimed it
            }

            @Override
            public void waitsFor(String cause) {
                waited.add(cause);
            }
        };
        long began = System.nanoTime();
        try (DataDirectory.Claim claim = DataDirectory.claim(directory)) {
            ClusterEntry.Entered entered = new ClusterEntry(directory, true, settings, claim, progress).enter();
            entered.cluster().close();
            entered.directory().close();
        }
        return Duration.ofNanos(System.nanoTime() - began);
    }
}
