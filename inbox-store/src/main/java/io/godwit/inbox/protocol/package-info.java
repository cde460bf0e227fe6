/**
 * What edges and the leaders of inboxes say to each other, as values: a connection's node sends commands, the leader
 * answers each of them and gives its deliveries in one ordered stream for each attachment (docs/adr/0053). A carrier
 * brings them across: within the process as they are, to another node encoded.
 */
@NullMarked
package io.godwit.inbox.protocol;

import org.jspecify.annotations.NullMarked;
