package io.godwit.cluster.link.message;

import io.godwit.cluster.link.Peer;

/**
 * The versions that a process supports on links. A release supports its own version of each and the one before, so that
 * the nodes of a cluster can be replaced one by one.
 *
 * @param layout of the messages of a stream ({@link LinkMessage})
 * @param payload of the content of frames, in all lanes. A change of a frame that the release before would not
 *     understand must raise {@code most} and encode for each peer by {@link Peer#version}. A protobuf field that the
 *     release before may ignore needs no new version; a new value of an enum needs one. Version 1 is not released yet,
 *     so until then its frames may change without a new version, as they did for the inbox protocol's
 *     {@code LEADERSHIP_LOST}
 */
public record LinkVersions(VersionRange layout, VersionRange payload) {
    /** The versions of this release. */
    public static final LinkVersions CURRENT =
            new LinkVersions(new VersionRange(LinkMessage.LEAST_VERSION, LinkMessage.VERSION), new VersionRange(1, 1));
}
