package io.godwit.cluster.link;

/**
 * What a process speaks over links. A release speaks its own version of each and the one before, so that the nodes of a
 * cluster can be replaced one by one.
 *
 * @param layout of the messages of a stream ({@link LinkMessage})
 * @param payload of what the frames of all lanes say. Whoever changes a frame so that the release before would not
 *     understand it raises {@code most}, and encodes for each peer by {@link Peer#version}. A protobuf field that the
 *     release before may leave unread needs no new version; a new value of an enum does need one. No release has
 *     version 1 yet, so until the first one its frames may change without another version, as they did for the inbox
 *     protocol's {@code LEADERSHIP_LOST}
 */
public record LinkVersions(VersionRange layout, VersionRange payload) {
    /** Of this release. */
    public static final LinkVersions CURRENT =
            new LinkVersions(new VersionRange(LinkMessage.VERSION, LinkMessage.VERSION), new VersionRange(1, 1));
}
