package io.godwit.mqtt.client;

/** The parts of {@link io.godwit.plugin.client.ClientInfo#remoteAddress}. */
public final class PeerAddress {
    private PeerAddress() {}

    /** The host without the port; the whole text when it has no port, as for a client within the process. */
    public static String hostOf(String remoteAddress) {
        int colon = colonOf(remoteAddress);
        return colon < 0 ? remoteAddress : remoteAddress.substring(0, colon);
    }

    /** 0 when there is none. */
    public static int portOf(String remoteAddress) {
        int colon = colonOf(remoteAddress);
        return colon < 0 ? 0 : Integer.parseInt(remoteAddress, colon + 1, remoteAddress.length(), 10);
    }

    /** Position of the colon before a port of 1 to 5 digits; -1 when there is none. */
    private static int colonOf(String remoteAddress) {
        int colon = remoteAddress.lastIndexOf(':');
        int digits = remoteAddress.length() - colon - 1;
        if (colon < 0 || digits < 1 || digits > 5) {
            return -1;
        }
        return remoteAddress.chars().skip(colon + 1L).allMatch(c -> c >= '0' && c <= '9') ? colon : -1;
    }
}
