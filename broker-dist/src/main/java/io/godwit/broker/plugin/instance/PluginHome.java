package io.godwit.broker.plugin.instance;

/**
 * The origin of a factory.
 *
 * @param source name of its jar, or of the directory of its jars; for messages
 * @param classes its class loader
 */
public record PluginHome(String source, ClassLoader classes) {}
