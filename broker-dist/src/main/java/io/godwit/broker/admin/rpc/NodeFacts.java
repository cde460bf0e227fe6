package io.godwit.broker.admin.rpc;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The configuration and the plugins of a node, for operators. Any thread; returns at once. */
public interface NodeFacts {
    /**
     * A key of the configuration with the value in force.
     *
     * @param origin where the value was set, for people; empty for a default
     */
    record Setting(String key, String value, String origin, boolean reloads) {}

    /**
     * A use of a plugin, and its condition. A node of an earlier release sends only kind and name.
     *
     * @param health {@code up}, {@code down} or {@code unknown}
     * @param detail the plugin's own text about its health
     * @param isInline whether it is called on the broker's threads
     * @param calls the number of finished calls
     * @param millis the total time of these calls
     * @param faults how often it broke its contract
     * @param lastFault the last such fault; empty for none
     * @param circuit {@code closed}, {@code open} or {@code half-open}
     */
    record Use(
            String kind,
            String name,
            @Nullable String health,
            @Nullable String detail,
            boolean isInline,
            long calls,
            long millis,
            long faults,
            @Nullable String lastFault,
            @Nullable String circuit) {
        /** For a plugin that was found but is not running. */
        public static Use of(String kind, String name) {
            return new Use(kind, name, "unknown", "", false, 0, 0, 0, "", "closed");
        }
    }

    /** @param version from the manifest; may be empty */
    record Plugin(String name, List<String> jars, String version, List<Use> uses) {
        public Plugin {
            jars = List.copyOf(jars);
            uses = List.copyOf(uses);
        }
    }

    /** The keys in the order of the file; system properties last. */
    List<Setting> settings();

    List<Plugin> plugins();
}
