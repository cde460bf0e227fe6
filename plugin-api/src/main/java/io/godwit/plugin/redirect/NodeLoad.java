package io.godwit.plugin.redirect;

/**
 * One node that serves clients.
 *
 * @param nodeId the id of its store, as {@code godwit-admin nodes} shows it
 * @param serverReference its address for clients: {@code redirectConfig.serverReference} of its own configuration;
 *     empty when not configured
 * @param connections clients that are connected to it
 */
public record NodeLoad(String nodeId, String serverReference, long connections) {}
