package org.example.deliver;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.context.Plugin;
import io.godwit.plugin.context.PluginContext;
import io.godwit.plugin.intercept.DeliverInterceptor;
import io.godwit.plugin.intercept.DeliverInterceptorFactory;
import io.godwit.plugin.intercept.Interception;
import io.godwit.plugin.message.Message;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/** Of topics below one, clients that are not cleared are told that there was a message, but not what is in it. */
public final class Redact implements DeliverInterceptorFactory, Plugin {
    private static final byte[] NOTHING = "redacted".getBytes(StandardCharsets.UTF_8);

    private String below = "";
    private Set<String> cleared = Set.of();

    @Override
    public String name() {
        return "redact";
    }

    @Override
    public void create(PluginContext context) {
        below = context.settings().requiredText("below") + "/";
        cleared = Set.copyOf(context.settings().list("cleared"));
    }

    @Override
    public boolean isNonBlocking() {
        return true;
    }

    @Override
    public DeliverInterceptor create() {
        return this::redact;
    }

    private Interception redact(ClientInfo receiver, Message message) {
        boolean maySee = !message.topic().startsWith(below)
                || cleared.contains(receiver.clientId().value());
        // a message owns its payload: of one that is shared a copy is handed over
        return maySee ? Interception.UNCHANGED : new Interception.Changed(message.withPayload(NOTHING.clone()));
    }
}
