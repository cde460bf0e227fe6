package io.godwit.perf.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Chooses ports to listen on. They are below the range of ports that the system uses for outgoing connections, of which
 * a load opens many.
 */
public final class FreePorts {
    static final int LOWEST = 20_000;
    /** Exclusive; Linux uses ports from 32,768 on for outgoing connections. */
    static final int END = 32_000;

    private static final int ATTEMPTS_EACH = 100;

    private FreePorts() {}

    /**
     * Different ports of 127.0.0.1, at least 20,000 and below 32,000, on which no process listens now. Another process
     * may still take one before it is used.
     *
     * @throws IOException if there are not enough free ports
     */
    public static List<Integer> choose(int count) throws IOException {
        List<Integer> ports = new ArrayList<>();
        for (int attempt = 0; ports.size() < count; attempt++) {
            if (attempt >= ATTEMPTS_EACH * count) {
                throw new IOException("no " + count + " free ports between " + LOWEST + " and " + END);
            }
            int port = ThreadLocalRandom.current().nextInt(LOWEST, END);
            if (!ports.contains(port) && isFree(port)) {
                ports.add(port);
            }
        }
        return ports;
    }

    static boolean isFree(int port) {
        try (ServerSocket probe = new ServerSocket()) {
            probe.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            return false; // in use
        }
    }
}
