package io.godwit.plugin.event;

/**
 * Receives events. A listener inside the broker is called on the thread that raises the event, many at once: it must
 * return at once and must not throw. A listener of a plugin is called on a thread of its own, see
 * {@link EventListenerFactory#create}.
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
