package io.godwit.plugin.event;

/** Receives events. Called on the thread where they happen, many at once: must return at once and must not throw. */
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
     * Whether it wants events of this kind. Asked before each is made, so that one that nobody wants costs nothing; the
     * answer may change.
     */
    default boolean isListening(Class<? extends BrokerEvent> kind) {
        return true;
    }
}
