package io.godwit.cluster.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.TestNodes;
import io.godwit.cluster.config.ClusterConfig;
import io.godwit.cluster.config.HostPort;
import io.godwit.testing.Await;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SeedResolverTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final HostPort QUICK = new HostPort("quick", 8899);
    private static final HostPort SLOW = new HostPort("slow", 8899);

    private final CountDownLatch nameServer = new CountDownLatch(1);
    private volatile boolean isFaulty;
    private volatile InetAddress quick = InetAddress.getLoopbackAddress();

    /** Otherwise a node would take itself for the only seed, and would found its own cluster. */
    @Test
    void aSeedIsASeedBeforeItsNameHasBeenAskedFor() {
        try (SeedResolver seeds = resolver(SLOW, QUICK)) {
            assertThat(seeds.seeds()).containsExactly(unresolved(SLOW), unresolved(QUICK));
            seeds.start(3_000, 10);
            assertThat(seeds.seeds())
                    .as("the seeds while the name server does not answer")
                    .containsExactly(unresolved(SLOW), unresolved(QUICK));
            nameServer.countDown();
            Await.until(
                    "resolved",
                    LIMIT,
                    () -> seeds.seeds().stream()
                            .noneMatch(seed -> seed.addresses().isEmpty()));
        }
    }

    @Test
    void aSlowNameHoldsUpNoneBeforeIt() {
        try (SeedResolver seeds = resolver(QUICK, SLOW)) {
            seeds.start(3_000, 10);
            Await.until("the quick one", LIMIT, () -> !seeds.addresses().isEmpty());
            assertThat(seeds.addresses()).containsExactly(address(QUICK));
            assertThat(seeds.seeds()).containsExactly(new Seed(QUICK, List.of(address(QUICK))), unresolved(SLOW));
            nameServer.countDown();
        }
    }

    /** A node that returns at another address keeps its name, and the next look-up finds the address. */
    @Test
    void aNameThatChangesItsAddressIsFollowed() {
        try (SeedResolver seeds = resolver(QUICK, SLOW)) {
            nameServer.countDown();
            seeds.start(10, 20_000);
            assertThat(seeds.addresses()).containsExactly(address(QUICK)); // SLOW resolves to it too

            InetSocketAddress moved = new InetSocketAddress(TestNodes.address("127.0.0.77"), QUICK.port());
            quick = moved.getAddress();
            Await.until("the new one", LIMIT, () -> seeds.addresses().contains(moved));
            assertThat(seeds.addresses()).containsExactlyInAnyOrder(moved, address(SLOW));
            assertThat(seeds.seeds())
                    .containsExactly(new Seed(QUICK, List.of(moved)), new Seed(SLOW, List.of(address(SLOW))));
        }
    }

    @Test
    void anErrorEndsOneLookUpOnly() {
        try (SeedResolver seeds = resolver(QUICK)) {
            isFaulty = true;
            seeds.start(10, 10);
            assertThat(seeds.addresses()).isEmpty();
            isFaulty = false;
            Await.until("it is asked for again", LIMIT, () -> !seeds.addresses().isEmpty());
        }
    }

    private SeedResolver resolver(HostPort... seeds) {
        ClusterConfig config = new ClusterConfig(
                "test", "127.0.0.1", 8899, 8900, "all", List.of(seeds), null, ClusterConfig.DEFAULT_MAX_MESSAGE_BYTES);
        return new SeedResolver(config, this::addressesOf);
    }

    private InetAddress[] addressesOf(String name) {
        if (isFaulty) {
            throw new StackOverflowError();
        }
        if (!name.equals(QUICK.host())) {
            try {
                nameServer.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // closed
            }
        }
        return new InetAddress[] {name.equals(QUICK.host()) ? quick : InetAddress.getLoopbackAddress()};
    }

    private static Seed unresolved(HostPort name) {
        return new Seed(name, List.of());
    }

    private static InetSocketAddress address(HostPort name) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), name.port());
    }
}
