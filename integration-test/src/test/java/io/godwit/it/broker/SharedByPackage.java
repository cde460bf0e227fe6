package io.godwit.it.broker;

import java.io.Closeable;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the test classes of a package share within a JVM, such as brokers: made when the first of them asks, and closed
 * when a class of another package begins, or with the run. Brokers that stayed would take processor time from the tests
 * of all packages that follow. JUnit runs this extension before each class, since it finds it by
 * {@code META-INF/services}.
 */
public final class SharedByPackage implements BeforeAllCallback {
    private static final Logger LOG = LoggerFactory.getLogger(SharedByPackage.class);
    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(SharedByPackage.class);

    /** What one package has. Of all packages, only one has anything at a time. */
    private static final class Things implements AutoCloseable {
        private final String owner;
        private final Map<Class<?>, Closeable> made = new LinkedHashMap<>();

        Things(String owner) {
            this.owner = owner;
        }

        @Override
        public void close() {
            for (Closeable each : made.values()) {
                try {
                    each.close();
                } catch (IOException e) { // not the fault of the class that begins
                    LOG.warn("not closed: {} of {}", each, owner, e);
                }
            }
            made.clear();
        }
    }

    /** Returns what the package of this type has of it; makes it if there is nothing yet. */
    public static <T extends Closeable> T get(ExtensionContext context, Class<T> type, Supplier<T> make) {
        // of the session, since surefire runs each class by itself where it has several JVMs
        ExtensionContext.Store store = context.getStore(StoreScope.LAUNCHER_SESSION, NAMESPACE);
        synchronized (SharedByPackage.class) { // methods of a class may run side by side
            closeUnlessOf(type.getPackageName(), store);
            Things things =
                    store.getOrComputeIfAbsent(Things.class, key -> new Things(type.getPackageName()), Things.class);
            return type.cast(things.made.computeIfAbsent(type, key -> make.get()));
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        synchronized (SharedByPackage.class) {
            closeUnlessOf(
                    context.getRequiredTestClass().getPackageName(),
                    context.getStore(StoreScope.LAUNCHER_SESSION, NAMESPACE));
        }
    }

    private static void closeUnlessOf(String owner, ExtensionContext.Store store) {
        Things things = store.get(Things.class, Things.class);
        if (things != null && !things.owner.equals(owner)) {
            store.remove(Things.class);
            things.close();
        }
    }
}
