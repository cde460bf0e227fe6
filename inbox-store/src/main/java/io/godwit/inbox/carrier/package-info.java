/**
 * Carries the inbox protocol to another node and back: {@code RemoteCarrier} at the edge, {@code EdgeService} at the
 * leaders' node, and frames of {@code inbox_protocol.proto} between them (docs/adr/0053). {@code HomeCarrier} sends
 * each command to the node that leads its inbox; {@code InboxPeers} makes the parts for each peer (docs/adr/0056).
 */
@NullMarked
package io.godwit.inbox.carrier;

import org.jspecify.annotations.NullMarked;
