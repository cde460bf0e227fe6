package io.godwit.broker.plugin.guard;

import io.godwit.broker.plugin.PluginHost;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Passes events to the listeners of plugins, each with a queue of its own, and to the next listener. A kind that no
 * plugin wants costs one look-up. Any thread, except {@link #begin} and {@link #close}, which are for the thread that
 * starts and closes the broker.
 */
public final class PluginEvents implements EventListener, AutoCloseable {
    private final EventListener next;
    private final List<GuardedListener> listeners = new ArrayList<>();
    /** The listeners by kind of event. Replaced as a whole by {@link #begin} and {@link #close}. */
    private volatile Map<Class<? extends BrokerEvent>, List<GuardedListener>> wanted = Map.of();

    /** @param next receives all events that it listens to */
    public PluginEvents(EventListener next) {
        this.next = next;
    }

    /**
     * Begins to pass events to these listeners. To be called once.
     *
     * @param made listeners created by the factories of {@link PluginHost}
     */
    public void begin(List<EventListener> made) {
        Map<Class<? extends BrokerEvent>, List<GuardedListener>> byKind = new HashMap<>();
        for (EventListener each : made) {
            if (!(each instanceof GuardedListener guarded)) {
                throw new IllegalArgumentException("no listener of a plugin: " + each.getClass());
            }
            listeners.add(guarded);
            guarded.kinds()
                    .forEach(kind -> byKind.computeIfAbsent(kind, none -> new ArrayList<>(1))
                            .add(guarded));
        }
        byKind.replaceAll((kind, all) -> List.copyOf(all));
        wanted = Map.copyOf(byKind);
    }

    @Override
    public boolean isListening(Class<? extends BrokerEvent> kind) {
        return wanted.containsKey(kind) || next.isListening(kind);
    }

    @Override
    public void onEvent(BrokerEvent event) {
        List<GuardedListener> told = wanted.get(event.getClass());
        if (told == null) {
            next.onEvent(event);
            return;
        }
        for (GuardedListener each : told) {
            each.onEvent(event);
        }
        if (next.isListening(event.getClass())) {
            next.onEvent(event);
        }
    }

    /**
     * Ends the flow of events to plugins, and waits until they have handled those in their queues, or until their time
     * limit.
     */
    @Override
    public void close() {
        wanted = Map.of();
        listeners.forEach(GuardedListener::close);
    }
}
