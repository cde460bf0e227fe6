package io.godwit.plugin.context;

/**
 * What a factory (of auth providers, event listeners, interceptors and so on) implements besides, to be given a context
 * and a life cycle. One that does not goes on as ever, without either.
 *
 * <p>The calls come in this order, each at most once but {@link #health}, on a thread of the broker that is made for
 * them, with the plugin's class loader as the context class loader:
 *
 * <ol>
 *   <li>{@link #create}, before anything is made by the factory;
 *   <li>{@link #start}, when the data directory is the broker's and before its stores open;
 *   <li>{@link #health}, every ten seconds;
 *   <li>{@link #stop}, after what the factory has made was closed; also when {@link #start} was never called or failed.
 * </ol>
 *
 * <p>No call may take for ever: one that is over its time is interrupted and counts as failed.
 */
public interface Plugin {
    /**
     * Takes the context and reads all settings of it; a key that is not read before this returns is refused as
     * unknown. Opens nothing, neither files nor connections: {@code bin/standalone.sh check} calls it beside a broker
     * that runs. At most 60 seconds. What it throws ends the start of the broker.
     */
    default void create(PluginContext context) throws Exception {}

    /** Opens what the plugin needs. At most 60 seconds. What it throws ends the start of the broker. */
    default void start() throws Exception {}

    /**
     * How the plugin is. At most 2 seconds, else it counts as down. Answers out of memory: it is no place to look at
     * something remote.
     */
    default PluginHealth health() {
        return PluginHealth.UP;
    }

    /** Ends threads and the like. At most 10 seconds; what it throws is logged. */
    default void stop() throws Exception {}

    /**
     * Whether all calls to what this factory makes return at once: they neither wait nor compute for long. Then they
     * are made on the broker's own threads, event loops among them, and save a change of threads each. Asked once,
     * after {@link #create}. A plugin that says so and is seen to block an event loop is called on its own threads from
     * then on, and reported.
     */
    default boolean isNonBlocking() {
        return false;
    }

    /**
     * How many threads of its own the plugin is called on, at most; not of interest for one that does not block. 1 to
     * 64. Asked once, after {@link #create}.
     */
    default int threads() {
        return 4;
    }
}
