package io.godwit.plugin.event;

/** Why a connection that had passed CONNECT ended. */
public enum DisconnectCause {
    /** The client sent DISCONNECT. */
    CLIENT,
    /** The client closed the connection without a DISCONNECT, or it was lost. */
    CONNECTION_LOST,
    /** The client sent nothing for one and a half times its keep-alive. */
    KEEP_ALIVE,
    /** Another connection uses the client id. */
    TAKEN_OVER,
    /** An operator or a plugin ended it or deleted its session, or the client was banned. */
    OPERATOR,
    /** The login was valid until now, and the client did not authenticate again. */
    LOGIN_EXPIRED,
    /** The client failed to authenticate again. */
    REAUTHENTICATION_FAILED,
    /** The client published to a topic that it may not publish to, and the broker is to disconnect for that. */
    NOT_AUTHORIZED,
    /** The client broke the protocol, or exceeded what CONNACK allowed. */
    PROTOCOL_VIOLATION,
    /** A publish or subscription was refused, and this version of MQTT has no other answer. */
    REQUEST_REFUSED,
    /** The client sent a large packet slowly while others waited; see {@link BrokerEvent.PacketAbandoned}. */
    PACKET_ABANDONED,
    /** The client read too slowly for too long. */
    SLOW_CONSUMER,
    /** A store did not do what a request of the client needs, or the node that keeps its session cannot be reached. */
    STORE_FAILED,
    /** The node stops, or sends its clients to other nodes. */
    SHUTDOWN,
    /** A fault of the broker; its log has the details. */
    INTERNAL_ERROR
}
