package io.godwit.plugin.context;

import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.Executor;

/** What the broker gives one plugin. Usable on any thread, unless stated otherwise. */
public interface PluginContext {
    /** The factory's own name: the name of its section in the configuration. */
    String name();

    /** The section {@code plugins.(name)} of the configuration file; empty when there is none. */
    PluginSettings settings();

    /**
     * A directory for this plugin only, accessible to its owner only (0700), below the broker's data directory. It
     * exists from {@link Plugin#start} on. Backups do not include it.
     */
    Path dataDirectory();

    /** Writes to the broker's log under {@code plugin.(name)}. */
    System.Logger logger();

    Meters meters();

    /**
     * Runs tasks of the plugin on up to four threads, which do not keep the JVM alive. The broker makes no calls on
     * these threads, so a call may wait for a task. Throws {@link java.util.concurrent.RejectedExecutionException} when
     * 1,000 tasks wait and after {@link Plugin#stop}. Exceptions of a task are counted and logged.
     */
    Executor executor();

    /** Wall time as the broker sees it. */
    Clock clock();

    BrokerHandle broker();
}
