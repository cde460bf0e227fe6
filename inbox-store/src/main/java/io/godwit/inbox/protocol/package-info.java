/**
 * The protocol between edges and the leaders of inboxes, as values: a connection's node sends commands; the leader
 * answers each and sends its deliveries in one ordered stream per attachment (docs/adr/0053). A carrier transports
 * them: unencoded within the process, encoded to another node.
 */
@NullMarked
package io.godwit.inbox.protocol;

import org.jspecify.annotations.NullMarked;
