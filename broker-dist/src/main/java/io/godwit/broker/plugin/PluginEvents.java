package io.godwit.broker.plugin;

import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Hands events to the listeners of plugins, each of which has a queue of its own, and to the listener behind it. For a
 * kind that no plugin wants it costs one look into a map. Any thread but for {@link #begin} and {@link #close}, which
 * are for the thread that starts and closes the broker.
 */
public final class PluginEvents implements EventListener, AutoCloseable {
    private final EventListener next;
    private final List<GuardedListener> listeners = new ArrayList<>();
    /** Who wants what. Never changed but as a whole, by {@link #begin} and {@link #close}. */
    private volatile Map<Class<? extends BrokerEvent>, List<GuardedListener>> wanted = Map.of();

    /** @param next is told of all that it wants */
    public PluginEvents(EventListener next) {
        this.next = next;
    }

    /**
     * From now on these are told. Once.
     *
     * @param made what the factories that {@link PluginHost} hands out have made
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

    /** Tells them of nothing more, and waits until they have taken what waits, or their time is over. */
    @Override
    public void close() {
        wanted = Map.of();
        listeners.forEach(GuardedListener::close);
    }
}
