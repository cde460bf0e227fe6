package io.godwit.cluster.link;

/**
 * What both ends of a pairing keep to. A process does not change what it speaks, so all connections of a pairing agree
 * on the same.
 *
 * @param layout the version of the messages
 * @param payload the version of what frames say
 * @param maxFrameBytes the largest frame that both ends accept
 */
record Agreement(int layout, int payload, int maxFrameBytes) {}
