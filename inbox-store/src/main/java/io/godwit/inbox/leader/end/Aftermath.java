package io.godwit.inbox.leader.end;

import io.godwit.inbox.leader.qos.InboundHandler;
import io.godwit.inbox.ledger.MovedSessions;

/**
 * The parts that act when a connection has ended or does not come back. They end its session, publish its will, remove
 * its routes, distribute its undistributed QoS 2 messages, and keep sessions that may continue at the next leader.
 * Owned by the range leader.
 */
public record Aftermath(SessionEnds ends, Obligations obligations, InboundHandler inbound, MovedSessions moved) {}
