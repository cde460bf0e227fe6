package io.godwit.it.cluster.plugin;

import io.godwit.it.cluster.ClusterFixture;
import io.godwit.it.cluster.ThreeNodes;

/** Three packaged brokers with plugins, which a subclass starts before its tests. */
abstract class PluginClusterFixture extends ClusterFixture {
    static final int NODES = ThreeNodes.NODES;
    /** Tenants are in user names, and the plugins {@code plans} and {@code caps} decide about them. */
    static final String TENANT_CONFIG =
            "{sources: user-name, unknown: accept, settingsProvider: plans, resourceThrottler: caps}";

    /** The cluster with its plugins. */
    static PluginCluster nodes;

    /** Called by the subclass before it starts these brokers. */
    static void use(PluginCluster made) {
        nodes = made;
        cluster = made.brokers();
    }
}
