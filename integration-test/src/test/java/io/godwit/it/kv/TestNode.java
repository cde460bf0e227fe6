package io.godwit.it.kv;

import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * A node that is started, stopped, killed and started again on the same data. Used by one thread at a time, but for the
 * address.
 */
interface TestNode extends AutoCloseable {
    String name();

    /** Where it serves clients. */
    InetSocketAddress address();

    void start() throws IOException;

    boolean isRunning() throws IOException;

    /** As kill -9. Returns when it is gone; at once for one that does not run. */
    void kill() throws IOException;

    /** Lets it close in good order; at once for one that does not run. */
    void stop() throws IOException;

    /** From now on it stands still; clients may connect, and get no answer. */
    void pause() throws IOException;

    /** Also for one that does not stand still. */
    void goOn() throws IOException;

    /** The end of its log. */
    String said() throws IOException;

    /** Kills it, and keeps its log. */
    @Override
    void close() throws IOException;
}
