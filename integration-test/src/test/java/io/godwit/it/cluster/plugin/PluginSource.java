package io.godwit.it.cluster.plugin;

/** What the sources of plugins for {@link PluginCluster} have in common. */
final class PluginSource {
    private static final String IMPORTS = """
            import io.godwit.plugin.auth.*;
            import io.godwit.plugin.balance.*;
            import io.godwit.plugin.client.*;
            import io.godwit.plugin.context.*;
            import io.godwit.plugin.event.BrokerEvent;
            import io.godwit.plugin.event.EventListener;
            import io.godwit.plugin.event.EventListenerFactory;
            import io.godwit.plugin.intercept.*;
            import io.godwit.plugin.message.*;
            import io.godwit.plugin.redirect.*;
            import io.godwit.plugin.sub.*;
            import io.godwit.plugin.tenant.*;
            import io.godwit.plugin.throttle.*;
            import java.io.*;
            import java.nio.file.*;
            import java.util.*;
            import java.util.concurrent.*;
            """;

    /** {@code OnNode} reads the settings that {@link PluginCluster#settings} gives, and appends lines to the notes. */
    private static final String COMMON = """
            static <T> CompletableFuture<T> now(T value) { return CompletableFuture.completedFuture(value); }
            public abstract static class OnNode implements Plugin {
                PluginContext context;
                String node;
                Path shared;
                @Override public void create(PluginContext given) {
                    context = given;
                    node = given.settings().requiredText("node");
                    shared = Path.of(given.settings().requiredText("shared"));
                }
                synchronized void note(String text) {
                    try {
                        Files.writeString(context.dataDirectory().resolve("notes"), text + "\\n",
                            StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                    } catch (IOException e) { throw new UncheckedIOException(e); }
                }
            }
            """;

    private PluginSource() {}

    /**
     * The source of a public class.
     *
     * @param plugins its nested classes, which may extend {@code OnNode}, and other members
     */
    static String of(String className, String plugins) {
        return IMPORTS + "public class " + className + " {\n" + COMMON + plugins + "}\n";
    }
}
