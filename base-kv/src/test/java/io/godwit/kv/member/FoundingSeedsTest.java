package io.godwit.kv.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.config.HostPort;
import io.godwit.cluster.member.Seed;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

@SuppressWarnings("AddressSelection") // these are addresses, not names
class FoundingSeedsTest {
    private static final InetSocketAddress SELF = new InetSocketAddress("10.0.0.2", 8899);

    @Test
    void seedsAreTheSameAtEachOfThemWhetherItListsItselfOrNot() {
        Seed one = seed("one", "10.0.0.1");
        Seed two = seed("two", "10.0.0.2");
        assertThat(of(one, two).text()).isEqualTo("10.0.0.1:8899,10.0.0.2:8899");
        assertThat(of(one).text()).isEqualTo(of(two, one).text());
    }

    @Test
    void seedWithoutAnAddressIsNotClear() {
        FoundingSeeds seeds = of(seed("one", "10.0.0.1"), seed("three"));
        assertThat(seeds.unclear()).isEqualTo("seed three:8899 does not resolve");
        assertThat(seeds.text()).isEmpty();
    }

    /** Like a headless service of a container cluster, which may resolve to this node alone for a while. */
    @Test
    void aNameThatMayStandForSeveralNodesIsNotClear() {
        assertThat(of(seed("all", "10.0.0.1", "10.0.0.3")).unclear()).contains("all:8899 has 2 addresses");
        assertThat(of(seed("all", "10.0.0.2")).unclear()).contains("all:8899, is a name that may resolve to other");
        assertThat(FoundingSeeds.of(SELF, "", "all", List.of()).unclear()).contains("clusterDomainName");
        assertThat(FoundingSeeds.of(SELF, "all", "", List.of(seed("all", "10.0.0.2")))
                        .unclear())
                .as("the node's own name is clear")
                .isEmpty();
        assertThat(of(seed("10.0.0.2", "10.0.0.2")).unclear()).isEmpty();
    }

    @Test
    void oneNodeWithAddressesOfTwoKindsIsOne() {
        assertThat(of(seed("one", "10.0.0.1", "::1")).text()).isEqualTo("10.0.0.1:8899,10.0.0.2:8899");
    }

    /** Debian names the machine itself 127.0.1.1. */
    @Test
    void aMachineMayKnowItsOwnNameByALoopbackAddress() {
        assertThat(of(seed("one", "10.0.0.1"), seed("two", "127.0.1.1")).text())
                .isEqualTo("10.0.0.1:8899,10.0.0.2:8899");
        InetSocketAddress loopback = new InetSocketAddress("127.0.0.1", 8899);
        assertThat(FoundingSeeds.of(loopback, "127.0.0.1", "", List.of(seed("127.0.0.2", "127.0.0.2")))
                        .text())
                .as("nodes on the loopback network")
                .isEqualTo("127.0.0.1:8899,127.0.0.2:8899");
    }

    @Test
    void whoListsANodeBehindWhichItStandsLetsItGoFirst() {
        assertThat(FoundingSeeds.isBehind("a:1,b:1", "b:1", "a:1")).isTrue();
        assertThat(FoundingSeeds.isBehind("a:1,b:1", "a:1", "b:1")).isFalse();
        assertThat(FoundingSeeds.isBehind("b:1,c:1", "b:1", "a:1")).isFalse();
    }

    private static FoundingSeeds of(Seed... seeds) {
        return FoundingSeeds.of(SELF, "", "", List.of(seeds));
    }

    private static Seed seed(String name, String... addresses) {
        return new Seed(
                new HostPort(name, 8899),
                Stream.of(addresses)
                        .map(address -> new InetSocketAddress(address, 8899))
                        .toList());
    }
}
