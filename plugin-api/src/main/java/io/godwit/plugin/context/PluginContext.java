package io.godwit.plugin.context;

import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.Executor;

/** What one plugin is given of the broker. All of it may be used on any thread, unless it says otherwise. */
public interface PluginContext {
    /** What the factory calls itself: the name of its section in the configuration. */
    String name();

    /** The section {@code plugins.(name)} of the configuration file; empty when there is none. */
    PluginSettings settings();

    /**
     * A directory for the plugin alone, for its owner alone (0700), below the broker's data directory. There from
     * {@link Plugin#start} on, not before. It is in no backup.
     */
    Path dataDirectory();

    /** Writes to the broker's log under {@code plugin.(name)}. */
    System.Logger logger();

    Meters meters();

    /**
     * Runs tasks of the plugin on up to four threads, which do not keep the JVM alive. They are others than those that
     * calls of the broker come on, so a call may wait for a task. Throws
     * {@link java.util.concurrent.RejectedExecutionException} when 1,000 tasks wait and after {@link Plugin#stop}. What
     * a task throws is counted and logged.
     */
    Executor executor();

    /** Wall time as the broker sees it. */
    Clock clock();

    BrokerHandle broker();
}
