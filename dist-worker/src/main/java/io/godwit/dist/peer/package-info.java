/**
 * Live sessions across the nodes of a cluster. The entry is {@link io.godwit.dist.peer.LivePeers}, which passes each
 * event of a link to the part that it is for.
 */
@NullMarked
package io.godwit.dist.peer;

import org.jspecify.annotations.NullMarked;
