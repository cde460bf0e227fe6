package io.godwit.broker.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.plugin.context.CallMark;
import io.godwit.broker.plugin.context.PluginReports;
import io.godwit.broker.plugin.context.PluginThreads;
import io.godwit.broker.plugin.instance.CallLimits;
import io.godwit.broker.plugin.instance.FoundPlugin;
import io.godwit.broker.plugin.instance.HostedPlugin;
import io.godwit.broker.plugin.instance.InlineCalls;
import io.godwit.broker.plugin.instance.PluginHome;
import io.godwit.plugin.event.EventListener;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which plugin's code has called {@code System.exit}, found from the stacks of all threads. */
class ExitBlameTest {
    private static final StackTraceElement WAITS = frame("java.lang.Shutdown", "exit", null);
    private static final StackTraceElement EXIT = frame("java.lang.Runtime", "exit", null);

    private final HostedPlugin acme = plugin("acme", loader("acme.jar"));
    private final HostedPlugin other = plugin("other", loader("other.jar"));
    private final HostedPlugin twin = plugin("twin", acme.classes());
    private final HostedPlugin ours = plugin("file", ExitBlame.class.getClassLoader());

    private static ClassLoader loader(String name) {
        return new URLClassLoader(name, new URL[0], ExitBlameTest.class.getClassLoader());
    }

    private static HostedPlugin plugin(String name, ClassLoader classes) {
        return new HostedPlugin(
                new FoundPlugin("auth-provider", name, new PluginHome(name + ".jar", classes), null),
                new PluginThreads(name, classes, new CallMark()),
                new PluginReports(name, "auth-provider", EventListener.NONE, new SimpleMeterRegistry()),
                new InlineCalls(System::nanoTime),
                System::nanoTime,
                CallLimits.DEFAULT,
                3,
                () -> {});
    }

    private static StackTraceElement frame(String type, String method, @Nullable String loader) {
        return new StackTraceElement(loader, null, null, type, method, null, 1);
    }

    private static Thread thread(ClassLoader context) {
        Thread thread = new Thread(() -> {});
        thread.setContextClassLoader(context);
        return thread;
    }

    private String blamed(Thread thread, StackTraceElement... stack) {
        return ExitBlame.of(
                        Map.of(thread, stack, new Thread(() -> {}), new StackTraceElement[0]),
                        List.of(ours, other, acme, twin),
                        plugin -> plugin == twin)
                .map(HostedPlugin::name)
                .orElse("nobody");
    }

    private static ClassLoader app() {
        return ExitBlame.class.getClassLoader();
    }

    @Test
    void itIsTheOneWhoseFrameIsBelowTheCall() {
        assertThat(blamed(thread(app()), WAITS, EXIT, frame("org.acme.A", "run", "other.jar")))
                .isEqualTo("other");
    }

    /** A call by a method handle may leave no frame of the plugin. */
    @Test
    void aThreadThatItHasMadeIsItsOwn() {
        assertThat(blamed(thread(other.classes()), WAITS, EXIT)).isEqualTo("other");
    }

    @Test
    void ofTwoOutOfOneJarItIsTheOneThatIsCalled() {
        assertThat(blamed(thread(acme.classes()), WAITS, EXIT)).isEqualTo("twin");
    }

    @Test
    void exitsByTheBrokerOrASignalBlameNoPlugin() {
        assertThat(blamed(thread(app()), WAITS, EXIT, frame("io.godwit.broker.Main", "main", "app")))
                .isEqualTo("nobody");
        assertThat(blamed(thread(app()), WAITS, frame("java.lang.Terminator$1", "handle", null)))
                .isEqualTo("nobody");
        assertThat(blamed(thread(acme.classes()), frame("org.acme.A", "exit", "acme.jar")))
                .isEqualTo("nobody");
    }
}
