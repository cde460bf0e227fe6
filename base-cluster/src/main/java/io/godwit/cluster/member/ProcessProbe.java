package io.godwit.cluster.member;

import io.godwit.cluster.config.HostPort;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * Tells whether a process that listened at an address has ended: its host refuses the connection. If the host does not
 * answer, because it is cut off or has no power, nothing is known about the process.
 */
public final class ProcessProbe {
    private static final int LIMIT_MILLIS = 500;

    private ProcessProbe() {}

    /** Whether the address accepts a connection. Blocks for half a second at most. */
    public static boolean takesConnections(InetSocketAddress address) {
        try (Socket socket = new Socket()) {
            socket.connect(address, LIMIT_MILLIS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Whether the host refuses a connection at {@code address}. Blocks for half a second at most, plus the look-up of a
     * name.
     */
    public static boolean isOver(HostPort address) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address.host(), address.port()), LIMIT_MILLIS);
            return false;
        } catch (ConnectException e) {
            return true; // refused; a time-out is another exception
        } catch (IOException e) {
            return false;
        }
    }
}
