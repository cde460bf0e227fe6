package io.godwit.broker.settings.cluster;

import io.godwit.broker.config.key.ConfigKey;
import io.godwit.broker.config.key.Section;
import io.godwit.broker.config.key.Unit;
import io.godwit.cluster.config.HostPort;
import java.util.List;

/** {@code clusterConfig}. */
public record ClusterSection(
        @ConfigKey(text = "Nodes of another environment never join.")
        String env,

        @ConfigKey(text = """
                    The address other nodes reach this one at. Empty: the first one of this machine that others can
                    reach; but 127.0.0.1 while tls says nothing.
                    """) String host,

        @ConfigKey(
                value = "8899",
                min = 1,
                max = 65_535,
                text = "The port of the membership, which seedEndpoints name.")
        int port,

        @ConfigKey(value = "0", min = 0, max = 65_535, text = """
                    The port of RPC between nodes, and of godwit-admin --rpc; others need not know it. 0 = the one
                    after port.
                    """)
        int rpcPort,

        @ConfigKey(text = "A DNS name that resolves to all members.")
        String clusterDomainName,

        @ConfigKey(text = """
                    Members to ask for the others: host:port,host:port,... This node may be among them.
                    """) List<HostPort> seedEndpoints,
        @ConfigKey(value = "false", text = """
                    With bootstrap true and no data: this node begins the cluster by itself, whichever others it
                    sees. Only ever on one node. false: the seeds begin it together, with the same bootstrap: true on
                    all of them; the first of them does once it sees more than half of them, the others join.
                    """) boolean foundAlone,

        @ConfigKey(value = "300", min = 1, max = 86_400, text = """
                    How long a node without data waits for a cluster to join, or for the other seeds, in seconds.
                    Then it ends.
                    """)
        int joinTimeoutSeconds,

        @ConfigKey(text = """
                    What fails together with this node, such as a rack or a data centre: replicas of a range are put
                    into different zones.
                    """) String zone,

        @ConfigKey(value = "1000", min = 1, max = 1_000_000, text = """
                    How many wills a second this node publishes for clients that were lost together with another node.
                    All of them are due at the same time, waits.connectionSeconds after the node is lost, while clients
                    of it connect again.
                    """)
        int lostWillsPerSecond,

        @ConfigKey(value = "0", min = 1 << 20, orZero = true, unit = Unit.BYTES, text = """
                    What the filters of this node's sessions that end with their connection may take in the memory of
                    each other node, which keeps all of them: some 200 bytes, two for each character, and 32 for each
                    level of a filter with a wildcard. Beyond it a SUBSCRIBE is refused (0x97; 0x80 under MQTT 3.1.1).
                    A filter that several sessions have counts once, and a session may have no more than is left free.
                    A quarter of this in addition is for the shared subscriptions of connected stored sessions. The
                    same on all nodes. 0 = a sixteenth of the heap.
                    """)
        long maxLiveFilterBytes,

        @Section(text = """
                    Nodes, and operators from other machines, prove who they are by certificates, on both ports and
                    both sides. Files are PEM, named relative to this file's directory, and read again when they
                    change.
                    """) ClusterTlsSection tls,
        @Section(text = """
                    How long this node waits for others. Each wait that runs out is counted in
                    godwit.waits.over{wait}, and the log says what was waited for. Nodes may have different values.
                    """) ClusterWaitsSection waits) {}
