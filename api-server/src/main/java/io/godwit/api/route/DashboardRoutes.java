package io.godwit.api.route;

import io.godwit.api.auth.Principal;
import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.http.SecurityHeaders;
import io.godwit.api.http.Workers;
import io.vertx.core.json.JsonObject;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The dashboard: a page, its modules and its style, out of jars. Only the files of a list are served. They need nobody
 * and hold nothing of the cluster: what the page shows it asks the API for, in the name of whoever logs in.
 */
public final class DashboardRoutes {
    private static final String OURS = "/io/godwit/api/dashboard/";
    private static final String CHARTS = "org.webjars.npm/uplot";
    private static final String CHARTS_FILES = "/META-INF/resources/webjars/uplot/";
    private static final String SCRIPT = "text/javascript";

    /** Types by name. What is not of uPlot lies beside the page. */
    private static final Map<String, String> TYPES = Map.ofEntries(
            Map.entry("style.css", "text/css"),
            Map.entry("icon.svg", "image/svg+xml"),
            Map.entry("main.js", SCRIPT),
            Map.entry("api.js", SCRIPT),
            Map.entry("dom.js", SCRIPT),
            Map.entry("format.js", SCRIPT),
            Map.entry("charts.js", SCRIPT),
            Map.entry("history.js", SCRIPT),
            Map.entry("login.js", SCRIPT),
            Map.entry("overview.js", SCRIPT),
            Map.entry("nodes.js", SCRIPT),
            Map.entry("clients.js", SCRIPT),
            Map.entry("ranges.js", SCRIPT),
            Map.entry("settings.js", SCRIPT),
            Map.entry("uPlot.min.css", "text/css"),
            Map.entry("uPlot.iife.min.js", SCRIPT));

    private final JarFiles files = new JarFiles();

    private DashboardRoutes() {}

    public static void add(Routes routes, Workers workers) {
        DashboardRoutes here = new DashboardRoutes();
        routes.add(
                "dashboard",
                call -> workers.supply(
                        () -> Reply.bytes("text/html; charset=utf-8", here.files.read(OURS + "page.html"))
                                .with(SecurityHeaders.DASHBOARD_POLICY)));
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

    private static String path(String name) {
        return name.startsWith("uPlot.") ? CHARTS_FILES + JarFiles.version(CHARTS) + "/dist/" + name : OURS + name;
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
