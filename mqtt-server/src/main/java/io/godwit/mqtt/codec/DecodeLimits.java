package io.godwit.mqtt.codec;

/**
 * Limits for decoded packets. A user property of 7 bytes on the wire takes some 130 on the heap, so the length of a
 * packet does not bound its size once decoded.
 *
 * @param maxConnectBytes the largest CONNECT, type and length included: its sender has not logged in; at least 64
 * @param maxConnectUserProperties user properties of a CONNECT, including those of its will; at least 0
 * @param maxUserProperties user properties of any other packet; at least 0
 * @param maxFilters filters of a SUBSCRIBE or an UNSUBSCRIBE, 3 bytes each on the wire and some hundred on the
 *     heap; at least 1
 */
public record DecodeLimits(int maxConnectBytes, int maxConnectUserProperties, int maxUserProperties, int maxFilters) {
    /** Every limit at its default. */
    public static final DecodeLimits DEFAULTS = new DecodeLimits(64 * 1024, 100, 1_000, 10_000);

    /** For decoders of trusted input. */
    static final DecodeLimits NONE =
            new DecodeLimits(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE);

    public DecodeLimits {
        if (maxConnectBytes < 64 || maxConnectUserProperties < 0 || maxUserProperties < 0 || maxFilters < 1) {
            throw new IllegalArgumentException(
                    "maxConnectBytes must be at least 64, the numbers of user properties at least 0, maxFilters at"
                            + " least 1, were " + maxConnectBytes + ", " + maxConnectUserProperties + ", "
                            + maxUserProperties + ", " + maxFilters);
        }
    }
}
