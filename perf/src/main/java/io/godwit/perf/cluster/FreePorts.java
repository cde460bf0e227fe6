package io.godwit.perf.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Chooses ports to listen on. They lie below the range that the system takes for outgoing connections: a load opens
 * many of those.
 */
public final class FreePorts {
    static final int LOWEST = 20_000;
    /** Exclusive; Linux takes outgoing ports from 32,768 on. */
    static final int END = 32_000;

    private static final int ATTEMPTS_EACH = 100;

    private FreePorts() {}

    /**
     * Different ports of 127.0.0.1, at least 20,000 and below 32,000, on which nobody listens now. Another process may
     * take one before its listener is there.
     *
     * @throws IOException when so many are not found
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
            return false; // somebody listens there
        }
    }
}
