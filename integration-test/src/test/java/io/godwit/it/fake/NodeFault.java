package io.godwit.it.fake;

/** A promise that the nodes of a cluster break on purpose. */
public enum NodeFault {
    NONE,
    /** A client that connects to another node is accepted there before its old connection has ended. */
    KEEPS_OLD_CONNECTIONS,
    /** When a node is killed, a client of another node loses its connection. */
    ENDS_CONNECTIONS_OF_OTHER_NODES,
    /** When a client is taken over by another node, both nodes publish its will. */
    PUBLISHES_WILLS_TWICE,
    /** When a client is taken over by another node, neither publishes its will. */
    DROPS_WILLS,
    /** A will is published although its client has sent DISCONNECT. */
    PUBLISHES_WILLS_OF_DISCONNECTED_CLIENTS,
    /** A delayed will is published although its client has connected to another node in time. */
    PUBLISHES_WILLS_OF_RETURNED_CLIENTS,
    /** A message is acknowledged and now and then does not arrive at the node of a session. */
    DROPS_MESSAGES,
    /** A killed node forgets what it acknowledged shortly before. */
    FORGETS_AT_KILLS,
    /** The node of a session now and then takes a message twice from the node of the publisher. */
    REPEATS_MESSAGES,
    /** A node does not know which QoS 2 packet ids the node before has received from the client. */
    FORGETS_QOS2_TOKENS,
    /** A message overtakes one of the same topic on its way to the node of a session. */
    REORDERS,
    /** Other nodes learn late of a subscription that was acknowledged. */
    MISSES_SUBSCRIPTIONS,
    /** Other nodes now and then miss a change of a retained message. */
    KEEPS_STALE_RETAINED,
    /** A node now and then does not find the session of a client that was connected to another node. */
    LOSES_SESSIONS
}
