/**
 * Reliable, ordered lanes between the nodes of a cluster. This package is what other modules use; {@code contact} opens
 * the links of a node.
 *
 * <pre>
 * contact      with which nodes this one is linked (PeerLinks, Contacts)
 * pairing      this end of the links between two processes: frames of all lanes, sent and received once
 * connection   one connection of a pairing, and the handshake at its beginning
 * stream       the gRPC stream below a connection, and the threads
 * message      the layout of messages, and its versions
 * </pre>
 */
@NullMarked
package io.godwit.cluster.link;

import org.jspecify.annotations.NullMarked;
