package io.godwit.plugin.event;

/**
 * Receives events.
 *
 * <p><b>Thread:</b> a listener of a plugin is called on a thread of its own, one event at a time, see
 * {@link EventListenerFactory#create}. A listener inside the broker is called on the thread that raises the event, many
 * at once: it must return at once and must not throw.
 *
 * <p><b>Cost:</b> a call for each event of the kinds that it wants; some are raised for each message. Nothing waits for
 * a listener of a plugin: at most {@value EventListenerFactory#MAX_WAITING} events wait for it. Events that no listener
 * wants are not made.
 *
 * <p><b>Failure:</b> if a call throws, the event is lost for this listener, and the fault is counted. A call that has
 * not returned after 10 seconds is interrupted once. Events that find no place in the queue are discarded and counted.
 * No client notices any of this.
 */
@FunctionalInterface
public interface EventListener {
    /** For a broker without a listener. */
    EventListener NONE = new EventListener() {
        @Override
        public void onEvent(BrokerEvent event) {}

        @Override
        public boolean isListening(Class<? extends BrokerEvent> kind) {
            return false;
        }
    };

    /** Something has happened. */
    void onEvent(BrokerEvent event);

    /**
     * Whether it wants events of this kind. A listener inside the broker is asked before each event is made, so an
     * unwanted event costs nothing; its answer may change. A listener of a plugin is asked once for each kind.
     */
    default boolean isListening(Class<? extends BrokerEvent> kind) {
        return true;
    }
}
