package io.godwit.api.http.gate;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** Maps peer addresses to sources; all requests of a source count as one caller. */
final class Sources {
    private static final int IPV6_PREFIX_BYTES = 8;
    /** Prefix of a household; of a company, or of a household at a generous provider. */
    private static final int HOUSEHOLD_BYTES = 7;

    private static final int SITE_BYTES = 6;

    private Sources() {}

    /** The address without port; for IPv6 the first 64 bits, all of which one user has. */
    static String of(SocketAddress peer) {
        return names(peer).get(0);
    }

    /**
     * The source, then wider prefixes to count by when there are too many sources: for IPv6 the first 56, then 48 bits.
     */
    static List<String> names(SocketAddress peer) {
        if (!(peer instanceof InetSocketAddress socket) || socket.getAddress() == null) {
            return List.of("unknown");
        }
        InetAddress address = socket.getAddress();
        return address instanceof Inet6Address
                ? List.of(
                        prefix(address, IPV6_PREFIX_BYTES),
                        prefix(address, HOUSEHOLD_BYTES),
                        prefix(address, SITE_BYTES))
                : List.of(address.getHostAddress());
    }

    private static String prefix(InetAddress address, int bytes) {
        return HexFormat.of().formatHex(Arrays.copyOf(address.getAddress(), bytes));
    }
}
