package io.godwit.api.port.access;

import java.net.InetSocketAddress;
import java.util.List;

/** Identifies the processes at the other ends of loopback connections. */
@FunctionalInterface
public interface LocalCallers {
    /** Who is at the other end of a connection. */
    enum Peer {
        /** A process of the broker's own user, or of root. */
        TRUSTED,
        /** A process of another user. This does not change while the connection is open. */
        ANOTHER_USER,
        /** It could not be found out, such as of a connection that is closed already. */
        UNKNOWN
    }

    /**
     * A connection.
     *
     * @param here this end
     * @param there the other end
     */
    record Ends(InetSocketAddress here, InetSocketAddress there) {}

    /**
     * The other ends of these connections, in their order. May read kernel files, once for all of them; called on
     * worker threads.
     */
    List<Peer> peers(List<Ends> connections);
}
