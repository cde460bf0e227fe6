package io.godwit.it.kv.node;

import io.godwit.it.kv.node.NodeOptions.Fault;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node as a process of its own. It runs until its standard input ends, as that of a child does when its parent dies, and then closes in good
 * order; or until it is killed.
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
        try (Registers registers = open(options);
                LineServer server =
                        new LineServer(registers, new InetSocketAddress(options.host(), options.clientPort()))) {
            LOG.info("node {} serves {}", options.name(), server);
            while (System.in.read() >= 0) {
                // nothing is ever said to it
            }
            LOG.info("node {} closes", options.name());
        }
    }

    private static Registers open(NodeOptions options) throws IOException {
        return options.fault() == Fault.GENUINE
                ? new NodeUnderTest(options)
                : new FakeRegisters(options.fault(), options.data());
    }
}
