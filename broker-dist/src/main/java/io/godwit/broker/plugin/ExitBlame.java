package io.godwit.broker.plugin;

import io.godwit.broker.plugin.instance.HostedPlugin;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Finds the plugin whose code has called {@code System.exit}, while the process ends. The call does not return, so it
 * is on the stack of its thread. A signal ends the process without that call.
 */
final class ExitBlame {
    private ExitBlame() {}

    /**
     * @param stacks of all threads
     * @param isCalled whether a plugin is being called; decides between plugins that share a class loader
     * @return empty if no plugin's code has called it
     */
    static Optional<HostedPlugin> of(
            Map<Thread, StackTraceElement[]> stacks, List<HostedPlugin> plugins, Predicate<HostedPlugin> isCalled) {
        for (Map.Entry<Thread, StackTraceElement[]> each : stacks.entrySet()) {
            if (exits(each.getValue())) {
                List<HostedPlugin> found = plugins.stream()
                        .filter(plugin -> plugin.classes() != ExitBlame.class.getClassLoader())
                        .filter(plugin -> isCodeOf(plugin, each.getKey(), each.getValue()))
                        .toList();
                if (!found.isEmpty()) {
                    return Optional.of(
                            found.stream().filter(isCalled).findFirst().orElse(found.get(0)));
                }
            }
        }
        return Optional.empty();
    }

    private static boolean exits(StackTraceElement[] stack) {
        for (StackTraceElement frame : stack) {
            if (frame.getMethodName().equals("exit") && frame.getClassName().equals(Runtime.class.getName())) {
                return true;
            }
        }
        return false;
    }

    private static boolean isCodeOf(HostedPlugin plugin, Thread thread, StackTraceElement[] stack) {
        if (thread.getContextClassLoader() == plugin.classes()) {
            return true;
        }
        for (StackTraceElement frame : stack) {
            if (frame.getClassLoaderName() != null
                    && frame.getClassLoaderName().equals(plugin.classes().getName())) {
                return true;
            }
        }
        return false;
    }
}
