package io.godwit.api.port;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The configuration in force and the plugins of all nodes. Called on any thread; calls return at once. Futures complete
 * on any thread, at the latest soon after {@code within}; they fail as those of {@link StoreAdmin}.
 */
public interface SettingsAdmin {
    /** Where a value is from. */
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
    CompletableFuture<Answer<List<NodeSettings>>> configuration(Duration within);

    /**
     * What a plugin is used for, and how it does.
     *
     * @param kind such as auth-provider, balancer
     * @param name what it calls itself
     * @param health {@code up}, {@code down} or {@code unknown}
     * @param detail what it says of its health
     * @param threads whose threads it is called on: {@code plugin} or {@code broker}
     * @param calls that have ended
     * @param busyMillis that they took, together
     * @param failures how often it did what it must not
     * @param lastFailure what that was the last time; empty for never
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
     * @param version as its manifest says; empty when that says none
     * @param uses none for one that the configuration does not name
     */
    record PluginView(String node, String name, List<String> jars, String version, List<Use> uses) {
        public PluginView {
            jars = List.copyOf(jars);
            uses = List.copyOf(uses);
        }
    }

    /** By node and name. */
    CompletableFuture<Answer<List<PluginView>>> plugins(Duration within);
}
