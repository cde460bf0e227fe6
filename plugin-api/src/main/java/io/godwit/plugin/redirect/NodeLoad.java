package io.godwit.plugin.redirect;

/**
 * One node that serves clients.
 *
 * @param nodeId the id of its store, as {@code godwit-admin nodes} shows it
 * @param serverReference what clients reach it by: {@code redirectConfig.serverReference} of its own configuration;
 *     empty when that says nothing
 * @param connections clients that are connected to it
 */
public record NodeLoad(String nodeId, String serverReference, long connections) {}
