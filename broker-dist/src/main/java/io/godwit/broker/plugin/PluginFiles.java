package io.godwit.broker.plugin;

import io.godwit.broker.config.key.OpenSection;
import java.nio.file.Path;
import java.util.Map;

/**
 * The configuration of plugins, and where their files are.
 *
 * @param sections of the configuration, by the names of plugins
 * @param configDirectory that file names in the sections are relative to
 * @param dataDirectory that contains the plugins' directories
 */
public record PluginFiles(Map<String, OpenSection> sections, Path configDirectory, Path dataDirectory) {
    public PluginFiles {
        sections = Map.copyOf(sections);
    }
}
