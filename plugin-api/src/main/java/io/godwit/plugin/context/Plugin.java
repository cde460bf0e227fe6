package io.godwit.plugin.context;

/**
 * A factory (of auth providers, event listeners, interceptors and so on) also implements this to get a context and a
 * life cycle. It is optional.
 *
 * <p>The calls come in this order, each at most once except {@link #health}, on a thread that the broker makes for
 * them, with the plugin's class loader as the context class loader:
 *
 * <ol>
 *   <li>{@link #create}, before the factory makes anything;
 *   <li>{@link #start}, when the broker has locked its data directory and before its stores open;
 *   <li>{@link #health}, every ten seconds;
 *   <li>{@link #stop}, after everything the factory made is closed; also if {@link #start} was not called or failed.
 * </ol>
 *
 * <p>No call may take for ever: a call that exceeds its time is interrupted and counts as failed.
 */
public interface Plugin {
    /**
     * Takes the context and reads all its settings; a key not read before this returns is refused as unknown. Must open
     * neither files nor connections: {@code bin/standalone.sh check} calls it while a broker may be running. At most 60
     * seconds. An exception ends the start of the broker.
     */
    default void create(PluginContext context) throws Exception {}

    /** Opens what the plugin needs. At most 60 seconds. An exception ends the start of the broker. */
    default void start() throws Exception {}

    /**
     * The state of the plugin. At most 2 seconds, else the plugin counts as down. Must answer from memory, without
     * asking a remote system.
     */
    default PluginHealth health() {
        return PluginHealth.UP;
    }

    /** Releases threads and other resources. At most 10 seconds; an exception is logged. */
    default void stop() throws Exception {}

    /**
     * Whether all calls to the objects of this factory return at once: they neither wait nor compute for long. The
     * broker then makes them on its own threads, event loops among them, and saves a thread switch for each. Asked
     * once, after {@link #create}. If such a plugin blocks an event loop, the broker reports it and calls it on the
     * plugin's own threads from then on.
     */
    default boolean isNonBlocking() {
        return false;
    }

    /**
     * The most threads that the broker calls the plugin on, 1 to 64; unused for a plugin that does not block. Asked
     * once, after {@link #create}.
     */
    default int threads() {
        return 4;
    }
}
