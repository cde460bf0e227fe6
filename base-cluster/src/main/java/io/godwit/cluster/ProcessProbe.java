package io.godwit.cluster;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * Tells whether a process that listened at an address is over: its host answers that nobody listens there. A host that
 * says nothing, as one that is cut off or has lost its power, says nothing about the process either.
 */
public final class ProcessProbe {
    private static final int LIMIT_MILLIS = 500;

    private ProcessProbe() {}

    /** Whether somebody takes connections at the address. Blocks for half a second at most. */
    public static boolean takesConnections(InetSocketAddress address) {
        try (Socket socket = new Socket()) {
            socket.connect(address, LIMIT_MILLIS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Blocks for half a second at most, and for the look-up of a name. */
    public static boolean isOver(HostPort address) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address.host(), address.port()), LIMIT_MILLIS);
            return false;
        } catch (ConnectException e) {
            return true; // refused: a time-out is another exception
        } catch (IOException e) {
            return false;
        }
    }
}
