package io.godwit.inbox.leader;

import io.godwit.inbox.ledger.MovedSessions;

/**
 * What is left to do when a connection has ended, or does not come back: the end of its session, what is owed then (a
 * will, routes to remove), messages of QoS 2 that it left undistributed, and connections that may go on at the next
 * leader. Owned by the range leader.
 */
record Aftermath(SessionEnds ends, Obligations obligations, InboundHandler inbound, MovedSessions moved) {}
