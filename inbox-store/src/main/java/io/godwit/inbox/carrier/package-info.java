/**
 * Brings the inbox protocol to another node and back: {@code RemoteCarrier} at the edge, {@code EdgeService} at the
 * leaders' node, frames of {@code inbox_protocol.proto} between them (docs/adr/0053). {@code HomeCarrier} chooses among
 * them by who leads, {@code InboxPeers} makes them for each peer (docs/adr/0056).
 */
@NullMarked
package io.godwit.inbox.carrier;

import org.jspecify.annotations.NullMarked;
