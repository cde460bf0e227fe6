package io.godwit.it.broker;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/** Ports of the loopback address. */
public final class Ports {
    /** Given out in this process. A broker that is down just now still has its port. */
    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

    private Ports() {}

    /**
     * A free port below the range that the system takes for outgoing connections, so that it is still free after a
     * restart.
     */
    public static InetSocketAddress free() throws IOException {
        for (int attempt = 0; attempt < 100; attempt++) {
            InetSocketAddress address = at(ThreadLocalRandom.current().nextInt(20_000, 32_000));
            try (ServerSocket probe = new ServerSocket()) {
                probe.bind(address);
                if (GIVEN.add(address.getPort())) {
                    return address;
                }
            } catch (IOException e) {
                // taken: try another
            }
        }
        throw new IOException("no free port between 20000 and 32000");
    }

    static boolean accepts(InetSocketAddress address) {
        try (Socket probe = new Socket()) {
            probe.connect(address, 500);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static InetSocketAddress at(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }
}
