package io.godwit.plugin.event;

/** Receives every event. Called on the thread where it happened: must return at once and must not throw. */
@FunctionalInterface
public interface EventListener {
    /** For wiring without a listener. */
    EventListener NONE = event -> {};

    void onEvent(BrokerEvent event);
}
