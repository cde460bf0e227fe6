package io.godwit.it.broker;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;

/** A broker that can be killed and started again on the same address and the same data. Used by one thread at a time. */
public interface Broker extends AutoCloseable {
    InetSocketAddress address();

    /** Begins to start it; returns at once. */
    void launch() throws IOException;

    /** @throws IOException when it does not serve within {@code patience}, or has given up: with what it said */
    void awaitReady(Duration patience) throws IOException;

    /** Ends it as kill -9 does, in whatever state it is; returns when it is gone. */
    void kill() throws IOException;

    /** Waits until a snapshot is being taken, at most {@code patience}; returns whether one was seen. */
    default boolean awaitSnapshot(Duration patience) {
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
