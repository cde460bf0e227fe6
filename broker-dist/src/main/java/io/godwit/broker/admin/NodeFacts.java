package io.godwit.broker.admin;

import java.util.List;

/** What a node tells of itself to operators. Any thread; returns at once. */
public interface NodeFacts {
    /**
     * A key of the configuration with the value in force.
     *
     * @param origin where it was given, for people; empty for a default
     */
    record Setting(String key, String value, String origin, boolean reloads) {}

    /** What a plugin is used for. */
    record Use(String kind, String name) {}

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
