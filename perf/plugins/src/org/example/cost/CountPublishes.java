package org.example.cost;

import io.godwit.plugin.context.Meters;
import io.godwit.plugin.context.Plugin;
import io.godwit.plugin.context.PluginContext;
import io.godwit.plugin.intercept.Interception;
import io.godwit.plugin.intercept.PublishInterceptor;
import io.godwit.plugin.intercept.PublishInterceptorFactory;

/** Counts publishes and changes none. */
public final class CountPublishes implements PublishInterceptorFactory, Plugin {
    private Meters.Counter seen;

    @Override
    public String name() {
        return "cost-count";
    }

    @Override
    public void create(PluginContext context) {
        seen = context.meters().counter("seen", "publishes");
    }

    @Override
    public boolean isNonBlocking() {
        return true;
    }

    @Override
    public PublishInterceptor create() {
        return (publisher, message) -> {
            seen.add(1);
            return Interception.UNCHANGED;
        };
    }
}
