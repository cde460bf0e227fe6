package io.godwit.api.port.cluster;

import io.godwit.api.port.ClusterAnswer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The configuration in force and the plugins of all nodes. Called on any thread; calls return at once. Futures complete
 * on any thread, soon after {@code within} at the latest; they fail like those of {@link StoreAdmin}.
 */
public interface SettingsAdmin {
    /** The source of a value. */
    enum Source {
        DEFAULT,
        FILE,
        /** A system property of the JVM. */
        PROPERTY,
        ENVIRONMENT
    }

    /**
     * A key with its value.
     *
     * @param key path in the file, or name of the system property
     * @param value as the file writes it; secrets are masked
     * @param origin where it was given, for people; empty for a default
     * @param reloads whether a change takes effect while the node runs
     */
    record Setting(String key, String value, Source source, String origin, boolean reloads) {}

    /** @param settings in the order of the file; system properties last */
    record NodeSettings(String node, List<Setting> settings) {
        public NodeSettings {
            settings = List.copyOf(settings);
        }
    }

    /** By node. */
    CompletableFuture<ClusterAnswer<List<NodeSettings>>> configuration(Duration within);

    /**
     * One use of a plugin, and its state.
     *
     * @param kind such as auth-provider, balancer
     * @param name the plugin's own name
     * @param health {@code up}, {@code down} or {@code unknown}
     * @param detail of its health, from the plugin
     * @param threads whose threads it is called on: {@code plugin} or {@code broker}
     * @param calls number of completed calls
     * @param busyMillis total time of these calls
     * @param failures number of its faults
     * @param lastFailure the last fault; empty for none
     * @param circuit {@code closed}, {@code open} or {@code half-open}: whether it is called
     */
    record Use(
            String kind,
            String name,
            String health,
            String detail,
            String threads,
            long calls,
            long busyMillis,
            long failures,
            String lastFailure,
            String circuit) {}

    /**
     * A plugin that a node has loaded.
     *
     * @param name of its jar, or of the directory of its jars
     * @param version from its manifest; empty when it has none
     * @param uses empty when the configuration does not name the plugin
     */
    record PluginView(String node, String name, List<String> jars, String version, List<Use> uses) {
        public PluginView {
            jars = List.copyOf(jars);
            uses = List.copyOf(uses);
        }
    }

    /** By node and name. */
    CompletableFuture<ClusterAnswer<List<PluginView>>> plugins(Duration within);
}
