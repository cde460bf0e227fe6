package io.godwit.it.conformance;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.mqtt.certificates.TestAuthority;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContext;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContextProvider;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Starts one broker before the first class that needs it, and ends it after the last. Its settings are the defaults,
 * with a listener for each {@link Transport}; a class runs once for each of them.
 */
final class SharedBroker implements BeforeAllCallback, ClassTemplateInvocationContextProvider {
    private static final TestAuthority AUTHORITY = new TestAuthority("root");
    /** Of clients. One for all: they resume each other's TLS sessions, which costs less. */
    static final SSLSocketFactory TLS_SOCKETS = AUTHORITY.clientContext(null).getSocketFactory();

    private static volatile Map<Transport, InetSocketAddress> addresses = Map.of();

    static InetSocketAddress address(Transport transport) {
        return addresses.getOrDefault(transport, InetSocketAddress.createUnresolved("not-started", 1));
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        Running running = context.getRoot()
                .getStore(ExtensionContext.Namespace.create(SharedBroker.class))
                .getOrComputeIfAbsent(Running.class);
        addresses = running.addresses;
    }

    @Override
    public boolean supportsClassTemplate(ExtensionContext context) {
        return true;
    }

    @Override
    public Stream<Over> provideClassTemplateInvocationContexts(ExtensionContext context) {
        OverEachTransport which = context.getRequiredTestClass().getAnnotation(OverEachTransport.class);
        return Transport.ofThisRun(which != null && which.isTimed()).stream().map(Over::new);
    }

    /** All tests of a class over one transport. */
    record Over(Transport transport) implements ClassTemplateInvocationContext {
        @Override
        public String getDisplayName(int invocationIndex) {
            return transport.name().toLowerCase(Locale.ROOT);
        }

        @Override
        public List<Extension> getAdditionalExtensions() {
            return List.of((BeforeEachCallback) test -> Wire.over(transport));
        }
    }

    /** Made by the store of the whole test run. */
    static final class Running implements AutoCloseable {
        private final Path home;
        private final BrokerProcess broker;
        private final Map<Transport, InetSocketAddress> addresses = new EnumMap<>(Transport.class);

        Running() {
            try {
                home = Files.createTempDirectory("conformance");
                TestAuthority.write(home, "server", AUTHORITY.issue("CN=server"));
                broker = new BrokerProcess(home);
                addresses.put(Transport.TCP, broker.address());
                listen(Transport.TLS);
                listen(Transport.WS);
                listen(Transport.WSS);
                broker.start();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        private void listen(Transport transport) throws IOException {
            InetSocketAddress address = Ports.free();
            String certificate = transport.isTls() ? ", sslConfig: {certFile: server.crt, keyFile: server.key}" : "";
            broker.mqttSetting(
                    transport.name().toLowerCase(Locale.ROOT) + "Listener",
                    "{port: " + address.getPort() + certificate + '}');
            addresses.put(transport, address);
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
