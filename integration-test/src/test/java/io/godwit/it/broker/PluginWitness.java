package io.godwit.it.broker;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.godwit.testing.Await;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * What one packaged broker tells of its plugins: in its status, metrics and API, and in the {@code PluginFailed} events
 * that a listener in the broker writes to a file. Used by one thread at a time.
 */
public final class PluginWitness {
    /** The name of the listener, for {@code pluginConfig.eventListeners}. */
    public static final String LISTENER = "witness";

    private static final String SOURCE = """
            import io.godwit.plugin.context.*;
            import io.godwit.plugin.event.*;
            import java.io.*;
            import java.nio.file.*;
            import java.util.Locale;
            public class Witness implements EventListenerFactory, Plugin {
                private PluginContext context;
                @Override public String name() { return "witness"; }
                @Override public void create(PluginContext given) { context = given; }
                @Override public EventListener create() {
                    return new EventListener() {
                        @Override public boolean isListening(Class<? extends BrokerEvent> kind) {
                            return kind == BrokerEvent.PluginFailed.class;
                        }
                        @Override public void onEvent(BrokerEvent event) {
                            BrokerEvent.PluginFailed failed = (BrokerEvent.PluginFailed) event;
                            String fault = failed.fault().name().toLowerCase(Locale.ROOT).replace('_', '-');
                            try {
                                Files.writeString(context.dataDirectory().resolve("notes"),
                                    failed.plugin() + " " + fault + "\\n",
                                    StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                            } catch (IOException e) { throw new UncheckedIOException(e); }
                        }
                    };
                }
            }
            """;

    private static final int READ_MILLIS = 30_000;
    private static final int TOO_MANY_REQUESTS = 429;

    private final BrokerProcess broker;
    private final int port;

    /** Sets the API of a broker that is not started yet. */
    public PluginWitness(BrokerProcess broker) throws IOException {
        this.broker = broker;
        this.port = Ports.free().getPort();
        broker.setting("apiServerConfig", "{port: " + port + ", checkAnswers: true}");
    }

    /** Puts the jar of the listener into an installation. */
    public static void addListener(PluginInstallation installation) throws IOException {
        installation.jar(
                LISTENER, "Witness", SOURCE, Map.of("io.godwit.plugin.event.EventListenerFactory", List.of("Witness")));
    }

    /** What the API answers to a GET; asked for again while it has had too many requests in a second. */
    public String get(String path) throws IOException {
        Await looks = Await.atMost(Await.PATIENCE);
        HttpURLConnection connection = connection(path);
        while (connection.getResponseCode() == TOO_MANY_REQUESTS) {
            looks.again(() -> "an answer to " + path);
            connection = connection(path);
        }
        try (InputStream in = connection.getInputStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private HttpURLConnection connection(String path) throws IOException {
        HttpURLConnection connection = (HttpURLConnection)
                URI.create("http://127.0.0.1:" + port + path).toURL().openConnection();
        connection.setReadTimeout(READ_MILLIS);
        return connection;
    }

    /** What the API tells of the plugins of all nodes. */
    public JsonObject plugins() throws IOException {
        return JsonParser.parseString(get("/api/v1/plugins")).getAsJsonObject();
    }

    /** What the API of a broker without a cluster tells of the plugin of this name. */
    public JsonObject use(String plugin) throws IOException {
        return use(plugins(), item -> true, plugin);
    }

    /** What the API of this broker tells of a plugin of another node, or of its own. */
    public JsonObject use(String nodeId, String plugin) throws IOException {
        return use(plugins(), item -> item.get("node").getAsString().equals(nodeId), plugin);
    }

    private static JsonObject use(JsonObject answer, Predicate<JsonObject> isMeant, String plugin) {
        for (JsonElement item : answer.getAsJsonArray("items")) {
            for (JsonElement use : item.getAsJsonObject().getAsJsonArray("uses")) {
                if (isMeant.test(item.getAsJsonObject())
                        && use.getAsJsonObject().get("name").getAsString().equals(plugin)) {
                    return use.getAsJsonObject();
                }
            }
        }
        throw new AssertionError("no such plugin " + plugin + " in " + answer);
    }

    /** How many such faults of a plugin the metrics count. */
    public long counted(String plugin, String fault) throws IOException {
        return get("/metrics")
                .lines()
                .filter(line -> line.startsWith("godwit_plugins_faults_total{"))
                .filter(line -> line.contains("plugin=\"" + plugin + "\""))
                .filter(line -> line.contains("fault=\"" + fault + "\""))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    /** Waits until an event and a metric tell of a fault. */
    public void awaitTold(String plugin, String fault) throws IOException {
        awaitTold(plugin, fault, Await.PATIENCE);
    }

    private void awaitTold(String plugin, String fault, Duration patience) throws IOException {
        Await looks = Await.atMost(patience);
        List<String> missing = missing(plugin, fault);
        while (!missing.isEmpty()) {
            List<String> had = missing;
            looks.again(() -> fault + " of the plugin " + plugin + " to be told, but it is not in " + had);
            missing = missing(plugin, fault);
        }
    }

    /** The same, and the status names the plugin. It is written every ten seconds. */
    public void awaitNamed(String plugin, String fault) throws IOException {
        awaitNamed(plugin, fault, Await.PATIENCE);
    }

    public void awaitNamed(String plugin, String fault, Duration patience) throws IOException {
        awaitTold(plugin, fault, patience);
        Await.until("the status names the plugin " + plugin, patience, () -> isInStatus(plugin));
    }

    private List<String> missing(String plugin, String fault) throws IOException {
        List<String> missing = new ArrayList<>();
        if (!events().contains(plugin + " " + fault)) {
            missing.add("the events");
        }
        if (counted(plugin, fault) == 0) {
            missing.add("the metrics");
        }
        return missing;
    }

    private boolean isInStatus(String plugin) throws IOException {
        Path status = broker.data().resolve("godwit.status");
        return Files.exists(status)
                && Files.readString(status).contains("plugin-faults." + plugin.replace('_', '-') + " ");
    }

    private List<String> events() throws IOException {
        Path notes = broker.data().resolve("plugins/" + LISTENER + "/notes");
        return Files.exists(notes) ? Files.readAllLines(notes) : List.of();
    }
}
