package io.godwit.broker.auth.login;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/**
 * The source of a login, as limits count it: an IPv4 address, or the first 64 bits of an IPv6 address, which identify a
 * site.
 */
public final class LoginSource {
    /** Text that is no literal address, so that it is never resolved as a name. */
    private static final Pattern ADDRESS =
            Pattern.compile("([0-9]{1,3}\\.){3}[0-9]{1,3}|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");

    private LoginSource() {}

    /**
     * @param remoteAddress {@code host:port}, as in {@link io.godwit.plugin.client.ClientInfo}
     * @return 0 if it contains no address: all such logins share one source
     */
    public static long of(String remoteAddress) {
        String host = remoteAddress.substring(0, Math.max(0, remoteAddress.lastIndexOf(':')));
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
        int zone = host.indexOf('%');
        String plain = zone < 0 ? host : host.substring(0, zone);
        if (!ADDRESS.matcher(plain).matches()) {
            return 0;
        }
        byte[] bytes;
        try {
            bytes = InetAddress.getByName(plain).getAddress();
        } catch (UnknownHostException e) {
            return 0;
        }
        long source = 0;
        for (int i = 0; i < Math.min(Long.BYTES, bytes.length); i++) {
            source = source << 8 | bytes[i] & 0xFF;
        }
        return source;
    }
}
