package io.godwit.it.kv.node;

import io.godwit.it.kv.node.NodeOptions.Fault;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node as a process of its own. It runs until its standard input ends, as that of a child does when its parent dies,
 * or SIGTERM comes, as to a container that is stopped, and then closes in good order; or until it is killed.
 */
public final class KvTestNode {
    private static final Logger LOG = LoggerFactory.getLogger(KvTestNode.class);

    private KvTestNode() {}

    public static void main(String[] arguments) {
        NodeOptions options = NodeOptions.parse(arguments);
        ThroughProxy.install(options);
        int code = 0;
        try {
            run(options);
        } catch (IOException | RuntimeException e) {
            LOG.error("node {} ends", options.name(), e);
            code = 1;
        }
        System.exit(code); // whatever threads a failed start has left
    }

    private static void run(NodeOptions options) throws IOException {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        Thread reader = new Thread(() -> awaitEndOfInput(asked), "standard input");
        reader.setDaemon(true);
        reader.start();
        // SIGTERM: the JVM lives until this has run
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            asked.countDown();
            await(closed);
        }));
        try {
            serve(options, asked);
            LOG.info("node {} has closed", options.name());
        } finally {
            closed.countDown();
        }
    }

    private static void serve(NodeOptions options, CountDownLatch asked) throws IOException {
        try (Registers registers = open(options);
                LineServer server =
                        new LineServer(registers, new InetSocketAddress(options.host(), options.clientPort()))) {
            LOG.info("node {} serves {}", options.name(), server);
            await(asked);
            LOG.info("node {} closes", options.name());
        }
    }

    private static void awaitEndOfInput(CountDownLatch asked) {
        try {
            while (System.in.read() >= 0) {
                // nothing is ever said to it
            }
        } catch (IOException e) {
            LOG.warn("standard input", e);
        }
        asked.countDown();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Registers open(NodeOptions options) throws IOException {
        return options.fault() == Fault.GENUINE
                ? new NodeUnderTest(options)
                : new FakeRegisters(options.fault(), options.data());
    }
}
