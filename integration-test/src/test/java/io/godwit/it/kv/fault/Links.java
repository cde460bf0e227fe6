package io.godwit.it.kv.fault;

import java.io.IOException;
import java.util.List;

/**
 * The links between nodes, which are numbered from 0, each with an address of its own. Clients reach the nodes whatever
 * is cut. Used by one thread at a time.
 */
public interface Links extends AutoCloseable {
    /** How they are made, for the log. */
    String describe();

    String address(int node);

    /** Words to be put before the command that starts a node. */
    List<String> prefix(int node);

    /** The proxy that a node's connections to others must pass; 0 when they need none. */
    int proxyPort(int node);

    /** From now on nothing that {@code from} sends arrives at {@code to}. It is told nothing of that. */
    void cut(int from, int to) throws IOException;

    void heal(int from, int to) throws IOException;

    /** Gives back all that was made, also after a failure. */
    @Override
    void close() throws IOException;
}
