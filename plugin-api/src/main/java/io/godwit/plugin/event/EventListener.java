package io.godwit.plugin.event;

/**
 * Receives events. Inside the broker it is called on the thread where they happen, many at once: it must return at once
 * and must not throw. One of a plugin is called on a thread of its own, see {@link EventListenerFactory#create}.
 */
@FunctionalInterface
public interface EventListener {
    /** For wiring without a listener. */
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
     * Whether it wants events of this kind. Inside the broker it is asked before each event is made, so that one that
     * nobody wants costs nothing; the answer may change. One of a plugin is asked once about each kind.
     */
    default boolean isListening(Class<? extends BrokerEvent> kind) {
        return true;
    }
}
