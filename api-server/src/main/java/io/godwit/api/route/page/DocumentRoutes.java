package io.godwit.api.route.page;

import io.godwit.api.contract.Contract;
import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.http.SecurityHeaders;
import io.godwit.api.http.Workers;
import io.godwit.api.route.Reply;
import io.godwit.api.route.Routes;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The document, and a page with Swagger UI that shows it. Only listed files are served, from jars. */
public final class DocumentRoutes {
    private static final String OURS = "/io/godwit/api/docs/";
    private static final String UI_ARTIFACT = "org.webjars/swagger-ui";
    private static final String UI = "/META-INF/resources/webjars/swagger-ui/";

    private static final Map<String, String> TYPES = Map.of(
            "page.js", "text/javascript",
            "swagger-ui.css", "text/css",
            "swagger-ui-bundle.js", "text/javascript",
            "favicon-32x32.png", "image/png");

    private final JarFiles files = new JarFiles();

    private DocumentRoutes() {}

    public static void add(Routes routes, Contract contract, Workers workers) {
        DocumentRoutes here = new DocumentRoutes();
        byte[] text = contract.text().getBytes(StandardCharsets.UTF_8);
        routes.add("openApi", call -> CompletableFuture.completedFuture(Reply.bytes("application/yaml", text)));
        routes.add(
                "docs",
                call -> workers.supply(
                        () -> Reply.bytes("text/html; charset=utf-8", here.files.read(OURS + "page.html"))
                                .with(SecurityHeaders.PAGE_POLICY)));
        routes.add("docsFile", call -> {
            String name = call.parameters().getString("file");
            String type = TYPES.get(name);
            if (type == null) {
                throw new ProblemException(Problem.notFound("the page has no such file"));
            }
            return workers.supply(() -> Reply.bytes(type, here.files.read(path(name))));
        });
    }

    private static String path(String name) {
        return name.equals("page.js") ? OURS + name : UI + JarFiles.version(UI_ARTIFACT) + "/" + name;
    }
}
