package io.godwit.plugin.event;

/**
 * Makes an {@link EventListener}. A plugin jar lists its factory in
 * {@code META-INF/services/io.godwit.plugin.event.EventListenerFactory}; the configuration names it under
 * {@code pluginConfig.eventListeners}. Several may be in use, each with its own queue and thread.
 *
 * <p>A factory that also implements {@link io.godwit.plugin.context.Plugin} gets a context and a life cycle.
 */
public interface EventListenerFactory {
    /** Most events that wait for one listener. */
    int MAX_WAITING = 10_000;

    /** Most memory that the waiting events of one listener take, about. */
    int MAX_WAITING_BYTES = 16 * 1024 * 1024;

    /** The name in the configuration. */
    String name();

    /**
     * Called once, after {@link io.godwit.plugin.context.Plugin#start} and before the broker takes connections. May
     * block for at most 60 seconds. Then the broker calls {@link EventListener#isListening} once for each kind of
     * event, and the answers hold until the broker ends. A listener should want only the events it uses: an unwanted
     * event costs nothing.
     *
     * <p>{@link EventListener#onEvent} is called on one thread of the plugin, one event at a time; events that one
     * broker thread raised come in order. At most {@value #MAX_WAITING} events wait, of about
     * {@value #MAX_WAITING_BYTES} bytes; events beyond are discarded and counted. Exceptions of {@code onEvent} are
     * counted. A call that has not returned after 10 seconds is reported, and its thread is interrupted once. When the
     * broker ends, the last events come after its clients and stores were closed; 10 seconds later, or when no event
     * waits any more, {@link io.godwit.plugin.context.Plugin#stop} follows.
     *
     * @return not null
     * @throws Exception ends the start of the broker
     */
    EventListener create() throws Exception;
}
