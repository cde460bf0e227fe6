package io.godwit.api.http;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.HexFormat;

/** Who counts as one caller. */
final class Sources {
    private static final int IPV6_PREFIX_BYTES = 8;

    private Sources() {}

    /** The address without port; of IPv6 the first 64 bits, which one user has all of. */
    static String of(SocketAddress peer) {
        if (!(peer instanceof InetSocketAddress socket) || socket.getAddress() == null) {
            return "unknown";
        }
        InetAddress address = socket.getAddress();
        return address instanceof Inet6Address
                ? HexFormat.of().formatHex(Arrays.copyOf(address.getAddress(), IPV6_PREFIX_BYTES))
                : address.getHostAddress();
    }
}
