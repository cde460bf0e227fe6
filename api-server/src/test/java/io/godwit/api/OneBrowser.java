package io.godwit.api;

import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;

/** One browser for all test classes of this JVM: to start one takes as long as many tests. Closed at the end of all. */
final class OneBrowser implements BeforeAllCallback {
    private static final Namespace HERE = Namespace.create(OneBrowser.class);

    private static @Nullable Browser open;

    @Override
    public void beforeAll(ExtensionContext context) {
        Path profile = Path.of("target/browser-" + ProcessHandle.current().pid());
        // of the session, since surefire runs each class by itself where it has several JVMs
        open = context.getStore(StoreScope.LAUNCHER_SESSION, HERE)
                .getOrComputeIfAbsent(Browser.class, key -> Browser.open(profile), Browser.class);
    }

    static Browser browser() {
        return Objects.requireNonNull(open);
    }
}
