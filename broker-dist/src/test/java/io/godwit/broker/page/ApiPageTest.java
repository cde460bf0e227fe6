package io.godwit.broker.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** The page of all requests is generated from the API's description; CONTRIBUTING.md says how. */
class ApiPageTest {
    private static final Path ROOT = Path.of(System.getProperty("godwit.root"));
    private static final List<String> METHODS = List.of("get", "post", "put", "delete");

    private static final String INTRODUCTION = """
            # API reference

            This page is written by `ApiPageTest` from the description of the API in OpenAPI 3.1; do not edit it. A node
            serves the description at `/api/v1/openapi.yaml`, with the fields of each answer. [HTTP API](api.md) says
            how to use it: tokens, pages of lists, errors, limits.

            *Role*: the least role of the token that the request needs. *Tenant*: whether a token that is bound to a
            tenant may send it; it then concerns that tenant only.
            """;

    private final Map<?, ?> description;

    ApiPageTest() throws IOException {
        description = new Yaml()
                .load(Files.readString(ROOT.resolve("api-server/src/main/resources/io/godwit/api/openapi.yaml")));
    }

    @Test
    void thePageIsWrittenFromTheDescription() throws IOException {
        String text = page();
        Path page = ROOT.resolve("docs/api-reference.md");
        if (System.getProperty("godwit.api.write") != null) {
            Files.writeString(page, text);
        }

        assertThat(text).contains("## sessions", "| `GET /api/v1/nodes` | Nodes of the cluster", "`minQueued`");
        assertThat(text.lines()).allMatch(line -> line.length() <= 120 || line.startsWith("|"));
        assertThat(page).hasContent(text);
    }

    @Test
    void eachOperationIsThereOnce() {
        List<String> requests = new ArrayList<>();
        object(description, "paths")
                .forEach((path, route) -> ((Map<?, ?>) route)
                        .keySet()
                        .forEach(method -> requests.add(method.toString().toUpperCase(Locale.ROOT) + " " + path)));
        List<String> rows = page().lines()
                .filter(line -> line.startsWith("| `"))
                .map(line -> line.split("`", -1)[1])
                .toList();
        assertThat(rows).containsExactlyInAnyOrderElementsOf(requests);
    }

    private String page() {
        StringBuilder text = new StringBuilder(INTRODUCTION);
        for (Object tag : list(description, "tags")) {
            String name = text(tag, "name");
            text.append("\n## ").append(name).append("\n\n").append(text(tag, "description"));
            text.append("\n\n| request | what it does | role | tenant | parameters | body |\n")
                    .append("|---|---|---|---|---|---|\n");
            object(description, "paths").forEach((path, route) -> {
                for (String method : METHODS) {
                    Object operation = ((Map<?, ?>) route).get(method);
                    if (operation != null && list(operation, "tags").contains(name)) {
                        text.append(row(method.toUpperCase(Locale.ROOT) + " " + path, operation));
                    }
                }
            });
        }
        return text.toString();
    }

    private String row(String request, Object operation) {
        String about = text(operation, "description");
        String what = text(operation, "summary") + (about.isEmpty() ? "" : ". " + about);
        String tenant = text(operation, "x-godwit-scope").equals("tenant") ? "yes" : "";
        return "| `" + request + "` | " + what.replace("|", "\\|") + " | " + text(operation, "x-godwit-role") + " | "
                + tenant + " | " + String.join(", ", parameters(operation)) + " | "
                + String.join(", ", fields(operation)) + " |\n";
    }

    private List<String> parameters(Object operation) {
        List<String> names = new ArrayList<>();
        for (Object each : list(operation, "parameters")) {
            Object parameter = resolved(each);
            if (text(parameter, "in").equals("query")) {
                names.add("`" + text(parameter, "name") + "`");
            }
        }
        return names;
    }

    private List<String> fields(Object operation) {
        Object body = object(operation, "requestBody", "content", "application/json", "schema", "properties");
        List<String> names = new ArrayList<>();
        ((Map<?, ?>) body).keySet().forEach(name -> names.add("`" + name + "`"));
        return names;
    }

    /** Follows a reference within the description. */
    private Object resolved(Object object) {
        String reference = text(object, "$ref");
        return reference.isEmpty()
                ? object
                : object(description, reference.substring("#/".length()).split("/", -1));
    }

    /** Empty if there is none. */
    private static Map<?, ?> object(Object from, String... path) {
        Object at = from;
        for (String key : path) {
            at = value(at, key);
        }
        return at instanceof Map<?, ?> found ? found : Map.of();
    }

    private static List<?> list(Object from, String key) {
        return value(from, key) instanceof List<?> found ? found : List.of();
    }

    /** In one line; empty if there is none. */
    private static String text(Object from, String key) {
        Object value = value(from, key);
        return value == null ? "" : value.toString().strip().replaceAll("\\s+", " ");
    }

    private static @Nullable Object value(@Nullable Object from, String key) {
        return from instanceof Map<?, ?> map ? map.get(key) : null;
    }
}
