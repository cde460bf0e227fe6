package io.godwit.broker.effective;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.check.ConfigLoader;
import io.godwit.kv.store.StoreBalance;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The number of voters in the configuration, and the reports about it for operators. */
class WantedVotersTest {
    private static final String INBOX = "inbox_store_replica_voter_count";
    private static final String CLUSTER = "clusterConfig: {host: 127.0.0.1}";

    @TempDir
    private Path directory;

    private BrokerConfig config(String yaml, Map<String, String> properties) throws Exception {
        return ConfigLoader.load(Files.writeString(directory.resolve("test.yml"), yaml), properties);
    }

    private StoreBalance balance(BalanceSettings keySpace, Map<String, String> properties) throws Exception {
        try (PluginLoader plugins = PluginLoader.open(directory.resolve("plugins"))) {
            return keySpace.store(
                            () -> {
                                throw new IllegalStateException("no range is opened here");
                            },
                            List.of(),
                            config(CLUSTER, properties),
                            plugins)
                    .balance();
        }
    }

    /** As for the other stores, a single copy of a session must be asked for explicitly. */
    @Test
    void threeVotersAreTheDefaultOfEachStore() throws Exception {
        for (BalanceSettings each : List.of(BalanceSettings.DIST, BalanceSettings.INBOX, BalanceSettings.RETAIN)) {
            StoreBalance balance = balance(each, Map.of());
            assertThat(balance.goal().voters()).isEqualTo(3);
            assertThat(balance.isGoalGiven()).isFalse();
        }
    }

    /** Also if it equals the default, as it was set explicitly. */
    @Test
    void aNumberThatIsWrittenDownCounts() throws Exception {
        assertThat(balance(BalanceSettings.INBOX, Map.of(INBOX, "1")).goal().voters())
                .isEqualTo(1);
        assertThat(balance(BalanceSettings.INBOX, Map.of(INBOX, "1")).isGoalGiven())
                .isTrue();
        assertThat(balance(BalanceSettings.INBOX, Map.of(INBOX, "3")).isGoalGiven())
                .isTrue();
        assertThat(balance(BalanceSettings.DIST, Map.of(INBOX, "3")).isGoalGiven())
                .isFalse();
    }

    @Test
    void oneVoterIsNamedAtTheStartOfANodeOfACluster() throws Exception {
        BrokerConfig explicit = config(CLUSTER, Map.of(INBOX, "1"));
        assertThat(BalanceSettings.warnings(explicit, Map.of()))
                .singleElement()
                .asString()
                .contains(INBOX + " is 1: the data of the inbox store depends on one node");
        BrokerConfig usual = config(CLUSTER, Map.of());
        assertThat(BalanceSettings.warnings(usual, Map.of())).isEmpty();
        assertThat(BalanceSettings.warnings(usual, Map.of("dist", 3, "inbox", 1, "retain", 3)))
                .singleElement()
                .asString()
                .contains("1 voter is wanted of each range: the data of the inbox store depends on one node");
        assertThat(BalanceSettings.warnings(config("", Map.of(INBOX, "1")), Map.of()))
                .as("no warning for a node alone")
                .isEmpty();
    }

    @Test
    void aPropertyThatSaysLessThanTheClusterWantsIsNamed() throws Exception {
        BrokerConfig config = config(CLUSTER, Map.of(INBOX, "1"));
        assertThat(BalanceSettings.warnings(config, Map.of("inbox", 3)))
                .singleElement()
                .asString()
                .contains(
                        INBOX + " is 1 here, but the cluster wants 3 voters. The cluster's number stays",
                        "\"godwit-admin replicas inbox 1\"");
    }

    /**
     * The property is older than an operator's request for fewer voters; it has no effect, about which there is a
     * warning.
     */
    @Test
    void aPropertyThatSaysMoreThanTheClusterWantsIsNamed() throws Exception {
        BrokerConfig config = config(CLUSTER, Map.of(INBOX, "3"));
        assertThat(BalanceSettings.warnings(config, Map.of("inbox", 2)))
                .singleElement()
                .asString()
                .contains(INBOX + " is 3 here, but the cluster wants 2 voters", "\"godwit-admin replicas inbox 3\"");
    }
}
