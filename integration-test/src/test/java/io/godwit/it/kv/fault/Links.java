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

    /**
     * From now on so many bytes a second pass between a node and all others, each way; its clients are not concerned.
     *
     * @throws IOException why links are not made slow here
     */
    default void slow(int node, long bytesPerSecond) throws IOException {
        throw new IOException(describe() + " cannot be made slow");
    }

    /**
     * From now on what passes between a node and the others is late, each piece by another time.
     *
     * @param mostMillis by which it is late; larger than 0
     * @throws IOException why nothing is made late here
     */
    default void delay(int node, int mostMillis) throws IOException {
        throw new IOException("nothing is late on " + describe());
    }

    /** Ends the slowness and the delay of a node's links, if there is one. */
    default void hasten(int node) throws IOException {}

    /**
     * Ends the connections that two nodes have with each other, by a reset; they may open others at once.
     *
     * @throws IOException why connections are not ended here
     */
    default void reset(int node, int other) throws IOException {
        throw new IOException("connections are not ended on " + describe());
    }

    /** Gives back all that was made, also after a failure. */
    @Override
    void close() throws IOException;
}
