package io.godwit.mqtt.ban;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A block of addresses with a common prefix. Two blocks are equal when they contain the same addresses.
 *
 * @param isV6 whether it is IPv6; IPv4 addresses mapped into IPv6 count as IPv4
 * @param high first 64 bits, for IPv4 the 32 bits; bits after the prefix are 0
 * @param low last 64 bits, likewise; 0 for IPv4
 * @param prefixBits length of the prefix
 */
public record AddressBlock(boolean isV6, long high, long low, int prefixBits) {
    static final int V4_BITS = 32;
    static final int V6_BITS = 128;
    private static final int MAPPED_BITS = V6_BITS - V4_BITS;
    private static final int V6_BYTES = V6_BITS / Byte.SIZE;
    private static final long MAPPED = 0xFFFFL << 32;

    /**
     * Reads {@code 10.0.0.0/8}, {@code fd00::/8} or a single address. Ignores bits after the prefix, and the zone of a
     * single address: it matches clients of all zones.
     *
     * @throws IllegalArgumentException describing the valid form
     */
    public static AddressBlock parse(String text) {
        int slash = text.indexOf('/');
        byte[] address = bytes(slash < 0 ? text : text.substring(0, slash));
        if (address == null || slash >= 0 && text.indexOf('%') >= 0) {
            throw new IllegalArgumentException("must be an address, or a block of addresses such as 10.0.0.0/8");
        }
        int most = address.length * Byte.SIZE;
        int bits = most;
        if (slash >= 0) {
            String length = text.substring(slash + 1);
            if (!length.matches("[0-9]{1,3}") || Integer.parseInt(length) > most) {
                throw new IllegalArgumentException("must have a number from 0 to " + most + " after the slash");
            }
            bits = Integer.parseInt(length);
        }
        return of(address, bits);
    }

    /** As {@link #parse}, but null when the text is not valid. */
    public static @Nullable AddressBlock find(String text) {
        try {
            return parse(text);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Null when the host is not an address, such as that of a client within the process. */
    public static @Nullable AddressBlock ofHost(String host) {
        byte[] address = bytes(host);
        return address == null ? null : of(address, address.length * Byte.SIZE);
    }

    /** Bytes of an address, perhaps in brackets or with a zone; null when it is not valid. */
    private static byte @Nullable [] bytes(String text) {
        boolean isBracketed = text.startsWith("[") && text.endsWith("]");
        String plain = isBracketed ? text.substring(1, text.length() - 1) : text;
        int zone = plain.indexOf('%');
        return NetUtil.createByteArrayFromIpAddressString(zone < 0 ? plain : plain.substring(0, zone));
    }

    /** Whether this block contains every address of {@code other}. */
    public boolean contains(AddressBlock other) {
        return isV6 == other.isV6
                && prefixBits <= other.prefixBits
                && other.shortened(prefixBits).equals(this);
    }

    static AddressBlock of(InetAddress address) {
        byte[] bytes = address.getAddress();
        return of(bytes, bytes.length * Byte.SIZE);
    }

    private static AddressBlock of(byte[] address, int bits) {
        ByteBuffer in = ByteBuffer.wrap(address);
        if (address.length < V6_BYTES) {
            return new AddressBlock(false, Integer.toUnsignedLong(in.getInt()), 0, V4_BITS).shortened(bits);
        }
        long high = in.getLong();
        long low = in.getLong();
        if (high == 0 && low >>> 32 << 32 == MAPPED && bits >= MAPPED_BITS) {
            return new AddressBlock(false, low & 0xFFFF_FFFFL, 0, V4_BITS).shortened(bits - MAPPED_BITS);
        }
        return new AddressBlock(true, high, low, V6_BITS).shortened(bits);
    }

    /** @param bits at most {@link #prefixBits} */
    AddressBlock shortened(int bits) {
        if (!isV6) {
            return new AddressBlock(false, high & first(bits + V4_BITS), 0, bits);
        }
        return new AddressBlock(true, high & first(bits), low & first(bits - Long.SIZE), bits);
    }

    /** A mask of the first {@code bits} bits; below 0 counts as none, above 64 as all. */
    private static long first(int bits) {
        return bits <= 0 ? 0 : bits >= Long.SIZE ? -1L : -1L << Long.SIZE - bits;
    }

    /** In a form that {@link #parse} reads; a single address without a slash. */
    @Override
    public String toString() {
        byte[] address = isV6
                ? ByteBuffer.allocate(V6_BYTES).putLong(high).putLong(low).array()
                : ByteBuffer.allocate(Integer.BYTES).putInt((int) high).array();
        try {
            String text = InetAddress.getByAddress(address).getHostAddress();
            return prefixBits == (isV6 ? V6_BITS : V4_BITS) ? text : text + "/" + prefixBits;
        } catch (UnknownHostException e) {
            throw new IllegalStateException("4 or 16 bytes are an address", e);
        }
    }
}
