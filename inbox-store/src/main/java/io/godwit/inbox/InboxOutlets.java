package io.godwit.inbox;

/**
 * What the leaders of inboxes ask of the rest of the node.
 *
 * @param wills publishes wills, and messages of QoS 2 that were not distributed yet
 * @param routes removes the routes of ended sessions
 * @param groups gives messages of ended sessions to other members of their shared group
 */
public record InboxOutlets(WillPublisher wills, RouteRemover routes, GroupPublisher groups) {}
