package io.godwit.api.route;

import io.godwit.api.contract.Contract;
import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.http.SecurityHeaders;
import io.godwit.api.http.Workers;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** The document, and a page out of Swagger UI that shows it. Only the files of a list are served, out of jars. */
public final class DocumentRoutes {
    private static final String OURS = "/io/godwit/api/docs/";
    private static final String UI_VERSION = "/META-INF/maven/org.webjars/swagger-ui/pom.properties";
    private static final String UI = "/META-INF/resources/webjars/swagger-ui/";

    private static final Map<String, String> TYPES = Map.of(
            "page.js", "text/javascript",
            "swagger-ui.css", "text/css",
            "swagger-ui-bundle.js", "text/javascript",
            "favicon-32x32.png", "image/png");

    private final Map<String, byte[]> read = new ConcurrentHashMap<>();

    private DocumentRoutes() {}

    public static void add(Routes routes, Contract contract, Workers workers) {
        DocumentRoutes here = new DocumentRoutes();
        byte[] text = contract.text().getBytes(StandardCharsets.UTF_8);
        routes.add("openApi", call -> CompletableFuture.completedFuture(Reply.bytes("application/yaml", text)));
        routes.add(
                "docs",
                call -> workers.supply(() -> Reply.bytes("text/html; charset=utf-8", here.file(OURS + "page.html"))
                        .with(SecurityHeaders.PAGE_POLICY)));
        routes.add("docsFile", call -> {
            String name = call.parameters().getString("file");
            String type = TYPES.get(name);
            if (type == null) {
                throw new ProblemException(Problem.notFound("the page has no such file"));
            }
            return workers.supply(() -> Reply.bytes(type, here.file(path(name))));
        });
    }

    private static String path(String name) {
        return name.equals("page.js") ? OURS + name : UI + uiVersion() + "/" + name;
    }

    private static String uiVersion() {
        Properties properties = new Properties();
        try (InputStream in = DocumentRoutes.class.getResourceAsStream(UI_VERSION)) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty("version", "");
    }

    private byte[] file(String path) {
        return read.computeIfAbsent(path, key -> {
            try (InputStream in = DocumentRoutes.class.getResourceAsStream(key)) {
                if (in == null) {
                    throw new IllegalStateException("no jar has " + key);
                }
                return in.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }
}
