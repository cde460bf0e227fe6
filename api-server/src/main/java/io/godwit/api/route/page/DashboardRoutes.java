package io.godwit.api.route.page;

import io.godwit.api.auth.Principal;
import io.godwit.api.http.Json;
import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.http.SecurityHeaders;
import io.godwit.api.http.Workers;
import io.godwit.api.port.WebSocketSource;
import io.godwit.api.port.WebSocketSource.WebSocketListener;
import io.godwit.api.route.Call;
import io.godwit.api.route.Reply;
import io.godwit.api.route.Routes;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;

/**
 * The dashboard: a page, its modules and its style, from jars. Only listed files are served. They need no role and
 * contain no data of the cluster: the page gets its data from the API as the user who logs in. To see messages arrive
 * it connects to the WebSocket listeners of its node; its policy allows no other connections.
 */
public final class DashboardRoutes {
    private static final String OURS = "/io/godwit/api/dashboard/";
    private static final String CHARTS = "org.webjars.npm/uplot";
    private static final String CHARTS_FILES = "/META-INF/resources/webjars/uplot/";
    private static final String MQTT = "org.webjars.npm/paho-mqtt";
    private static final String MQTT_FILES = "/META-INF/resources/webjars/paho-mqtt/";
    private static final String SCRIPT = "text/javascript";
    /** Hosts that a policy can name; IPv6 addresses cannot be named. */
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9][A-Za-z0-9.-]{0,252}");

    private static final List<String> SCRIPTS = List.of(
            "main",
            "api",
            "dom",
            "format",
            "names",
            "actions",
            "pager",
            "receivers",
            "live",
            "charts",
            "history",
            "login",
            "overview",
            "nodes",
            "clients",
            "sessions",
            "subscriptions",
            "groups",
            "bans",
            "retained",
            "delayed",
            "publish",
            "listen",
            "events",
            "trace",
            "ranges",
            "configuration",
            "users",
            "tokens",
            "settings");

    /** Types by file name. Files that belong neither to uPlot nor to Paho lie beside the page. */
    private static final Map<String, String> TYPES = types();

    private final JarFiles files = new JarFiles();

    private DashboardRoutes() {}

    private static Map<String, String> types() {
        Map<String, String> types = new HashMap<>(Map.of(
                "style.css", "text/css",
                "icon.svg", "image/svg+xml",
                "uPlot.min.css", "text/css",
                "uPlot.iife.min.js", SCRIPT,
                "paho-mqtt-min.js", SCRIPT));
        SCRIPTS.forEach(name -> types.put(name + ".js", SCRIPT));
        return Map.copyOf(types);
    }

    /** @param webSockets empty when pages cannot subscribe */
    public static void add(Routes routes, Optional<WebSocketSource> webSockets, Workers workers) {
        DashboardRoutes here = new DashboardRoutes();
        routes.add("dashboard", call -> {
            List<WebSocketListener> open = webSockets.map(WebSocketSource::open).orElse(List.of());
            return workers.supply(() -> Reply.bytes("text/html; charset=utf-8", here.files.read(OURS + "page.html"))
                    .with(SecurityHeaders.dashboardPolicy(origins(call.host(), open))));
        });
        webSockets.ifPresent(source -> routes.add(
                "listWebSockets",
                call -> CompletableFuture.completedFuture(
                        Reply.json(new JsonObject().put("items", Json.array(source.open()))))));
        routes.add("dashboardFile", call -> {
            String name = call.parameters().getString("file");
            String type = TYPES.get(name);
            if (type == null) {
                throw new ProblemException(Problem.notFound("the dashboard has no such file"));
            }
            return workers.supply(() -> Reply.bytes(type, here.files.read(path(name))));
        });
        routes.add("whoAmI", call -> CompletableFuture.completedFuture(caller(call)));
    }

    /** The origins of the listeners, at the host of the page's own request. */
    private static List<String> origins(String host, List<WebSocketListener> open) {
        return HOST.matcher(host).matches()
                ? open.stream()
                        .map(each -> (each.tls() ? "wss://" : "ws://") + host + ":" + each.port())
                        .distinct()
                        .toList()
                : List.of();
    }

    private static String path(String name) {
        if (name.startsWith("uPlot.")) {
            return CHARTS_FILES + JarFiles.version(CHARTS) + "/dist/" + name;
        }
        return name.startsWith("paho-") ? MQTT_FILES + JarFiles.version(MQTT) + "/" + name : OURS + name;
    }

    private static Reply caller(Call call) {
        Principal caller = call.caller().orElseThrow();
        JsonObject json = new JsonObject()
                .put("name", caller.name())
                .put("role", caller.role().spelled())
                .put("kind", caller.kind().name().toLowerCase(Locale.ROOT));
        caller.tenant().ifPresent(tenant -> json.put("tenant", tenant));
        return Reply.json(json);
    }
}
