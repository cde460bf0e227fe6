package io.godwit.it.conformance;

import io.godwit.it.broker.BrokerProcess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Starts one broker before the first class that needs it, and ends it after the last. Its settings are the defaults. */
final class SharedBroker implements BeforeAllCallback {
    private static volatile InetSocketAddress address = InetSocketAddress.createUnresolved("not-started", 1);

    static InetSocketAddress address() {
        return address;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        Running running = context.getRoot()
                .getStore(ExtensionContext.Namespace.create(SharedBroker.class))
                .getOrComputeIfAbsent(Running.class);
        address = running.broker.address();
    }

    /** Made by the store of the whole test run. */
    static final class Running implements AutoCloseable {
        private final Path home;
        private final BrokerProcess broker;

        Running() {
            try {
                home = Files.createTempDirectory("conformance");
                broker = new BrokerProcess(home);
                broker.start();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() throws IOException {
            broker.close();
            try (Stream<Path> files = Files.walk(home)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }
}
