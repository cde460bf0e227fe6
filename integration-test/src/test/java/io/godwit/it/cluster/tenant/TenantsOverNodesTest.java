package io.godwit.it.cluster.tenant;

import io.godwit.it.cluster.BrokerCluster;
import io.godwit.it.cluster.BrokerCluster.RangeLine;
import io.godwit.it.cluster.ClusterFixture;
import io.godwit.it.cluster.ThreeNodes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/**
 * Tenants of three packaged brokers with a file of tenants. Both groups of tests use the same nodes, because these take
 * longer to start than either group takes.
 */
@Tag("full")
class TenantsOverNodesTest extends ClusterFixture {
    /** Those without a quota are for the group Isolation, the others for the group Quotas. */
    private static final String TENANTS = """
            tenants:
              birds: {}
              penguins: {}
              gulls: {maxConnections: 3}
              fish: {maxSharedGroupSize: 3}
              foxes: {maxTenantQueuedBytes: 1000}
              owls: {maxDelayedMessages: 4}
            """;

    /** The ranges of the inbox store; node i leads range i. */
    static List<RangeLine> inbox;

    @BeforeAll
    @Timeout(300)
    static void start() throws Exception {
        cluster = new BrokerCluster(directory, ThreeNodes.NODES);
        for (int i = 0; i < ThreeNodes.NODES; i++) {
            Path home = Files.createDirectories(directory.resolve("n" + i));
            Files.writeString(home.resolve("tenants.yml"), TENANTS);
            cluster.node(i)
                    .setting("tenantConfig", "{sources: user-name, file: tenants.yml}")
                    .setting("authConfig", "{sessionsBelongToUsers: false}")
                    .setting("topicConfig", "{delayedPublish: {maxSeconds: 600}}")
                    .setting("storeConfig", ThreeNodes.STORES_THAT_KEEP_LEADERS);
        }
        inbox = ThreeNodes.startWithAThirdEach(cluster);
    }

    @Nested
    class Isolation extends TenantIsolationAcrossNodes {}

    @Nested
    class Quotas extends TenantQuotasAcrossNodes {}
}
