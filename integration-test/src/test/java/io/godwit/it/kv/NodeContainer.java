package io.godwit.it.kv;

import io.godwit.it.container.ClusterContainer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;

/** A node in a container. */
final class NodeContainer implements TestNode {
    /** What a JVM ends with that was told to end by SIGTERM, which it was after it had closed. */
    private static final int TERMINATED = 128 + 15;

    private final ClusterContainer container;
    private final Path log;
    private final InetSocketAddress address;

    /** @param log where its log is kept in the end */
    NodeContainer(ClusterContainer container, Path log) {
        this.container = container;
        this.log = log;
        this.address = container.address();
    }

    @Override
    public String name() {
        return container.name();
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public void start() throws IOException {
        container.start();
    }

    @Override
    public boolean isRunning() throws IOException {
        return container.isRunning();
    }

    @Override
    public void kill() throws IOException {
        container.kill();
    }

    @Override
    public void stop() throws IOException {
        if (!container.isRunning()) {
            return;
        }
        int code = container.stop();
        if (code != TERMINATED || !container.said().contains("node " + name() + " has closed")) {
            throw new IOException(name() + " has not closed in good order, but ended with " + code + said());
        }
    }

    @Override
    public void pause() throws IOException {
        if (container.isRunning()) {
            container.pause();
        }
    }

    @Override
    public void goOn() throws IOException {
        container.goOn();
    }

    @Override
    public String said() {
        return container.said();
    }

    @Override
    public void close() throws IOException {
        Files.writeString(log, container.log());
        container.close();
    }
}
