package io.godwit.plugin.event;

/** The limit that forbids a connection. A source is an IPv4 address or the first 64 bits of an IPv6 address. */
public enum ConnectionLimit {
    /** Connections open at once. */
    TOTAL,
    /** Connections open at once from one source. */
    SOURCE_TOTAL,
    /** New connections per second. */
    RATE,
    /** New connections per second from one source. */
    SOURCE_RATE,
    /** The source is banned, see {@link BrokerEvent.Banned}. */
    BANNED,
    /** The node is short of memory. */
    MEMORY,
    /** The node is short of file descriptors: the rest is kept for the stores. */
    DESCRIPTORS
}
