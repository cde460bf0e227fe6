package io.godwit.it.broker;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * A broker that can be killed and started again on the same address and the same data. Used by one thread at a time.
 */
public interface Broker extends AutoCloseable {
    InetSocketAddress address();

    /** Begins to start it; returns at once. */
    void launch() throws IOException;

    /** @throws IOException when it does not serve within {@code patience}, or has given up: with what it said */
    void awaitReady(Duration patience) throws IOException;

    /** Ends it as kill -9 does, in whatever state it is; returns when it is gone. */
    void kill() throws IOException;

    /**
     * Waits until the one launched has taken hold of its data, and so begins to recover; at once for one that has no
     * such moment.
     */
    default void awaitRecovery() throws IOException {}

    /**
     * Has it stand still, to be killed; one that cannot runs on.
     *
     * @return whether it served: it accepts connections, also while it stands still
     */
    default boolean freeze() throws IOException {
        return Ports.accepts(address());
    }

    /**
     * Has it stand still in the midst of a snapshot, to be killed.
     *
     * @param share how long after the beginning of the snapshot, between 0 and 1
     * @param patience how long to wait for one
     * @return whether it does; otherwise it runs on
     */
    default boolean freezeInSnapshot(double share, Duration patience) throws IOException {
        return false;
    }

    default void start() throws IOException {
        launch();
        awaitReady(Duration.ofSeconds(60));
    }

    /** Kills it. Its data stays: the directory is its maker's. */
    @Override
    void close() throws IOException;
}
