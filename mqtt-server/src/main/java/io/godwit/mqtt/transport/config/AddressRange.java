package io.godwit.mqtt.transport.config;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * A range of addresses with a common prefix.
 *
 * @param base one address of the range
 * @param prefixBits length of the prefix
 */
public record AddressRange(InetAddress base, int prefixBits) {

    /**
     * Reads {@code 10.0.0.0/8}, {@code fd00::/8} or a single address; throws {@link IllegalArgumentException} for any
     * other text.
     */
    public static AddressRange parse(String text) {
        int slash = text.indexOf('/');
        byte[] bytes = NetUtil.createByteArrayFromIpAddressString(slash < 0 ? text : text.substring(0, slash));
        if (bytes == null) {
            throw new IllegalArgumentException(
                    "must be addresses or ranges such as 10.0.0.0/8, but has \"" + text + "\"");
        }
        try {
            int bits = slash < 0 ? bytes.length * 8 : Integer.parseInt(text.substring(slash + 1));
            if (bits < 0 || bits > bytes.length * 8) {
                throw new IllegalArgumentException(
                        "a range of \"" + text + "\" must have 0 to " + bytes.length * 8 + " bits");
            }
            return new AddressRange(InetAddress.getByAddress(bytes), bits);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("\"" + text + "\" must end with a number of bits", e);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("\"" + text + "\" is no address", e);
        }
    }

    boolean contains(InetAddress address) {
        byte[] mine = base.getAddress();
        byte[] other = address.getAddress();
        if (mine.length != other.length) {
            return false;
        }
        for (int bit = 0; bit < prefixBits; bit += 8) {
            int shared = Math.min(8, prefixBits - bit);
            if (((mine[bit / 8] ^ other[bit / 8]) & 0xFF) >> 8 - shared != 0) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return base.getHostAddress() + "/" + prefixBits;
    }
}
