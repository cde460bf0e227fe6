package io.godwit.plugin.event;

/**
 * The repeated fault behind a ban, and who is banned for it. A source is an IPv4 address or the first 64 bits of an
 * IPv6 address.
 */
public enum BanCause {
    /** Logins from one source failed. */
    SOURCE_FAILED_LOGINS,
    /** Peers at one source broke the protocol. */
    SOURCE_VIOLATIONS,
    /** Clients from one source connected and disconnected at once. */
    SOURCE_FLAPPING,
    /** Clients with one client id connected and disconnected at once. */
    CLIENT_FLAPPING
}
