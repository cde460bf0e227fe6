package io.godwit.plugin.event;

/**
 * Makes an {@link EventListener}. A plugin jar lists its factory in
 * {@code META-INF/services/io.godwit.plugin.event.EventListenerFactory}; the configuration names it under
 * {@code pluginConfig.eventListeners}. Several may be in use, each with a queue and a thread of its own.
 *
 * <p>One that implements {@link io.godwit.plugin.context.Plugin} too is given a context and a life cycle.
 */
public interface EventListenerFactory {
    /** Events that wait for one listener. */
    int MAX_WAITING = 10_000;

    /** What these may take in memory, about. */
    int MAX_WAITING_BYTES = 16 * 1024 * 1024;

    /** What the configuration calls it. */
    String name();

    /**
     * Called once, after {@link io.godwit.plugin.context.Plugin#start} and before the broker takes connections. Blocks
     * at most 60 seconds. Then {@link EventListener#isListening} is asked once about each kind of event, and the
     * answers hold until the broker ends: a listener should want only what it uses, since what nobody wants costs
     * nothing.
     *
     * <p>{@link EventListener#onEvent} is called on one thread of the plugin, one event at a time; those that one
     * thread of the broker raised come in order. At most {@value #MAX_WAITING} events wait, of about
     * {@value #MAX_WAITING_BYTES} bytes; what does not fit is discarded and counted. What {@code onEvent} throws is
     * counted. A call that has not returned after 10 seconds is reported, and its thread is interrupted once.
     *
     * @return not null
     * @throws Exception ends the start of the broker
     */
    EventListener create() throws Exception;
}
