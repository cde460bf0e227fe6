package org.example.cost;

import io.godwit.plugin.context.Meters;
import io.godwit.plugin.context.Plugin;
import io.godwit.plugin.context.PluginContext;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.event.EventListenerFactory;

/** Counts the events of publishes. */
public final class ListenToPublishes implements EventListenerFactory, Plugin {
    private Meters.Counter heard;

    @Override
    public String name() {
        return "cost-listen";
    }

    @Override
    public void create(PluginContext context) {
        heard = context.meters().counter("heard", "events of publishes");
    }

    @Override
    public EventListener create() {
        return new EventListener() {
            @Override
            public boolean isListening(Class<? extends BrokerEvent> kind) {
                return kind == BrokerEvent.PublishReceived.class;
            }

            @Override
            public void onEvent(BrokerEvent event) {
                heard.add(1);
            }
        };
    }
}
