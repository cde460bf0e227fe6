package org.example.redirect;

import io.godwit.plugin.context.Meters;
import io.godwit.plugin.context.Plugin;
import io.godwit.plugin.context.PluginContext;
import io.godwit.plugin.context.PluginSettings;
import io.godwit.plugin.redirect.ClientBalancer;
import io.godwit.plugin.redirect.ClientBalancerFactory;
import io.godwit.plugin.redirect.ConnectingClient;
import io.godwit.plugin.redirect.NodeLoads;
import io.godwit.plugin.redirect.Placement;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Sends clients to the server that their client id begins with the name of, unless that is this one. */
public final class ClientHomes implements ClientBalancerFactory, Plugin {
    private final Map<String, String> servers = new LinkedHashMap<>();
    private boolean isForGood;
    private Meters.Counter sent;

    @Override
    public String name() {
        return "client-homes";
    }

    @Override
    public void create(PluginContext context) {
        PluginSettings settings = context.settings();
        isForGood = settings.flag("forGood", false);
        for (String home : settings.list("homes")) {
            int equals = home.indexOf('=');
            String server = home.substring(equals + 1);
            try {
                if (equals < 1) {
                    throw new IllegalArgumentException("must be PREFIX=HOST:PORT, was " + home);
                }
                servers.put(home.substring(0, equals), Placement.checked(server));
            } catch (IllegalArgumentException e) {
                settings.error("homes", e.getMessage());
            }
        }
        sent = context.meters().counter("sent", "clients sent to the server of their site");
    }

    /** It looks at a few texts. */
    @Override
    public boolean isNonBlocking() {
        return true;
    }

    @Override
    public ClientBalancer create() {
        return this::place;
    }

    private CompletableFuture<Placement> place(ConnectingClient client, NodeLoads nodes) {
        String clientId = client.client().clientId().value();
        for (Map.Entry<String, String> home : servers.entrySet()) {
            if (clientId.startsWith(home.getKey())) {
                String server = home.getValue();
                if (server.equals(nodes.self().serverReference())) {
                    break; // it is at home
                }
                sent.add(1);
                return CompletableFuture.completedFuture(
                        isForGood ? new Placement.Moved(server) : new Placement.UseAnother(server));
            }
        }
        return CompletableFuture.completedFuture(Placement.HERE);
    }
}
