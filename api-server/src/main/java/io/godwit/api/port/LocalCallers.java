package io.godwit.api.port;

import java.net.InetSocketAddress;

/** Identifies the process at the other end of a loopback connection. */
@FunctionalInterface
public interface LocalCallers {
    /**
     * Whether a process of the broker's own user, or of root, holds the other end; false also when that is uncertain.
     * May read kernel files; called on worker threads.
     *
     * @param here this end
     * @param there the other end
     */
    boolean isTrusted(InetSocketAddress here, InetSocketAddress there);
}
