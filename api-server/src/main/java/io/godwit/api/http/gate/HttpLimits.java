package io.godwit.api.http.gate;

import java.time.Duration;

/**
 * Bounds of connections and requests.
 *
 * @param maxConnections open at a time; {@link AcceptGate} says which are closed beyond that
 * @param maxConnectionsPerAddress of these; an IPv6 address counts by its first 64 bits
 * @param maxLineBytes of the request line
 * @param maxHeaderBytes of all header lines together
 * @param headTimeout from when the first byte may arrive to the end of the head, and the same again to the end of
 *     the body; also for the TLS handshake
 * @param idleTimeout of a connection between two requests
 * @param requestTimeout for an answer, from the end of the request
 * @param requestsPerSecond of all callers together
 * @param requestsPerSecondPerCaller of an address, and of a token or all those of one tenant
 */
public record HttpLimits(
        int maxConnections,
        int maxConnectionsPerAddress,
        int maxLineBytes,
        int maxHeaderBytes,
        int maxBodyBytes,
        Duration headTimeout,
        Duration idleTimeout,
        Duration requestTimeout,
        int requestsPerSecond,
        int requestsPerSecondPerCaller) {
    public static final HttpLimits DEFAULTS = new HttpLimits(
            256,
            64,
            16_384,
            16_384,
            65_536,
            Duration.ofSeconds(10),
            Duration.ofSeconds(60),
            Duration.ofSeconds(10),
            1_000,
            100);

    /** How long an answer may take to be written, when the client reads slowly. */
    static final Duration WRITE_TIMEOUT = Duration.ofSeconds(20);

    public HttpLimits {
        if (maxConnections < 1
                || maxConnectionsPerAddress < 1
                || maxLineBytes < 1
                || maxHeaderBytes < 1
                || maxBodyBytes < 1
                || requestsPerSecond < 1
                || requestsPerSecondPerCaller < 1) {
            throw new IllegalArgumentException("each bound must be at least 1");
        }
        if (headTimeout.toMillis() < 1 || idleTimeout.toMillis() < 1 || requestTimeout.toMillis() < 1) {
            throw new IllegalArgumentException("each time-out must be at least a millisecond");
        }
    }

    /** How long authentication of the caller may take. */
    public Duration identifyTimeout() {
        return requestTimeout.dividedBy(2);
    }

    /** The longest that one request may hold a connection, whatever either side does. */
    Duration wholeRequest() {
        return headTimeout.plus(identifyTimeout()).plus(requestTimeout).plus(WRITE_TIMEOUT);
    }
}
