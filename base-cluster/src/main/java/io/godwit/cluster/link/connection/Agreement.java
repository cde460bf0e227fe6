package io.godwit.cluster.link.connection;

/**
 * The values that both ends of a pairing have agreed on. A process does not change its versions, so all connections of
 * a pairing agree on the same values.
 *
 * @param layout the version of the messages of a stream
 * @param payload the version of the content of frames
 * @param maxFrameBytes the largest frame that both ends accept
 */
public record Agreement(int layout, int payload, int maxFrameBytes) {}
