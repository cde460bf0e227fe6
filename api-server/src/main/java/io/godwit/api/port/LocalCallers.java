package io.godwit.api.port;

import java.net.InetSocketAddress;

/** Tells who is at the other end of a connection over the loopback address. */
@FunctionalInterface
public interface LocalCallers {
    /**
     * Whether a process of the broker's own user, or of root, holds the other end. Anything but a certain yes is false.
     * May read files of the kernel; called on worker threads.
     *
     * @param here this end
     * @param there the other end
     */
    boolean isTrusted(InetSocketAddress here, InetSocketAddress there);
}
