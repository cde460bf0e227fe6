package io.godwit.plugin.event;

/**
 * What someone did too often, and who is banned for it. A source is an IPv4 address or the first 64 bits of an IPv6
 * address.
 */
public enum BanCause {
    /** Logins from one source failed. */
    SOURCE_FAILED_LOGINS,
    /** Peers at one source broke the protocol. */
    SOURCE_VIOLATIONS,
    /** Clients at one source connected and were gone at once. */
    SOURCE_FLAPPING,
    /** Clients of one client id connected and were gone at once. */
    CLIENT_FLAPPING
}
