package io.godwit.it.broker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports of the loopback address. A port stays with the process that asked for it until that process ends: a broker that
 * restarts finds its port free, although tests of other processes look for ports meanwhile. For this each process locks
 * one byte per port, in one file for all.
 */
public final class Ports {
    private static final FileChannel LOCKS = openLocks();

    private Ports() {}

    /** A free port below the range that the system takes for outgoing connections. Any thread. */
    public static InetSocketAddress free() throws IOException {
        for (int attempt = 0; attempt < 1_000; attempt++) {
            InetSocketAddress address = at(ThreadLocalRandom.current().nextInt(20_000, 32_000));
            if (reserve(address.getPort()) && isFree(address)) {
                return address;
            }
        }
        throw new IOException("no free port between 20000 and 32000");
    }

    /** @return whether neither this process nor another has that port */
    static boolean reserve(int port) throws IOException {
        try {
            return LOCKS.tryLock(port, 1, false) != null; // released when this process ends
        } catch (OverlappingFileLockException e) {
            return false; // this process has it
        }
    }

    private static boolean isFree(InetSocketAddress address) {
        try (ServerSocket probe = new ServerSocket()) {
            probe.bind(address);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** The file is the same one for all checkouts: java.io.tmpdir is not. */
    private static FileChannel openLocks() {
        Path file = Path.of("/tmp", "godwit-test-ports-" + System.getProperty("user.name"));
        try {
            return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
