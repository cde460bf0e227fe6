package io.godwit.broker.admin;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a node tells of itself to operators. Any thread; returns at once. */
public interface NodeFacts {
    /**
     * A key of the configuration with the value in force.
     *
     * @param origin where it was given, for people; empty for a default
     */
    record Setting(String key, String value, String origin, boolean reloads) {}

    /**
     * What a plugin is used for, and how it does. Nodes of a release that does not tell how leave all but kind and name
     * out.
     *
     * @param health {@code up}, {@code down} or {@code unknown}
     * @param detail what it says of its health
     * @param isInline whether it is called on the broker's threads
     * @param calls that have ended
     * @param millis that they took, together
     * @param faults how often it did what it must not
     * @param lastFault what that was the last time; empty for never
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
        /** Of one that is not in use, but would be. */
        public static Use of(String kind, String name) {
            return new Use(kind, name, "unknown", "", false, 0, 0, 0, "", "closed");
        }
    }

    /** @param version empty when its manifest says none */
    record Plugin(String name, List<String> jars, String version, List<Use> uses) {
        public Plugin {
            jars = List.copyOf(jars);
            uses = List.copyOf(uses);
        }
    }

    /** In the order of the file; system properties last. */
    List<Setting> settings();

    List<Plugin> plugins();
}
