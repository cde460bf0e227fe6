package io.godwit.broker.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.testing.DocumentPage;
import io.godwit.testing.PageCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/**
 * The requests that pages show, by {@code curl} or as {@code `GET /...`}, are those of the API's description: route,
 * method, parameters, fields of the body. It sends none.
 */
class PageRequestsTest {
    private static final Pattern INLINE = Pattern.compile("`(GET|HEAD|POST|PUT|DELETE) (/[^`\\s]*)`");
    private static final Pattern URL = Pattern.compile("https?://[^/]+(/.*)");

    private final Map<?, ?> description;

    PageRequestsTest() throws IOException {
        description = new Yaml()
                .load(Files.readString(Path.of(
                        System.getProperty("godwit.root"),
                        "api-server/src/main/resources/io/godwit/api/openapi.yaml")));
    }

    /**
     * A request of a page.
     *
     * @param target path and query
     * @param body JSON; null for none
     */
    private record Request(
            String place,
            String method,
            String target,
            @Nullable String body) {}

    @Test
    void theApiHasTheRequestsOfThePages() throws IOException {
        List<Request> requests = new ArrayList<>();
        List<DocumentPage> pages = DocumentPage.all();
        for (PageCommand command : PageCommand.of(pages, "curl")) {
            request(command).ifPresent(requests::add);
        }
        assertThat(requests).as("requests by curl").hasSizeGreaterThan(40);
        for (DocumentPage page : pages) {
            Matcher inline = INLINE.matcher(page.text());
            while (inline.find()) {
                requests.add(new Request(page.name(), inline.group(1), inline.group(2), null));
            }
        }
        List<String> wrong = new ArrayList<>();
        for (Request request : requests) {
            fault(request).ifPresent(fault -> wrong.add(request + ": " + fault));
        }

        assertThat(wrong).isEmpty();
        assertThat(requests).hasSizeGreaterThan(70);
    }

    @Test
    void whatTheApiDoesNotHaveIsFound() {
        for (Request wrong : List.of(
                new Request("", "GET", "/api/v1/client", null),
                new Request("", "PUT", "/api/v1/clients", null),
                new Request("", "GET", "/api/v1/clients?most=5", null),
                new Request("", "POST", "/api/v1/publish", "{\"topics\":\"a\"}"))) {
            assertThat(fault(wrong)).as(wrong.toString()).isPresent();
        }
        assertThat(fault(new Request("", "POST", "/api/v1/publish", "{\"topic\":\"a\"}")))
                .isEmpty();
    }

    /** Empty when it is for another server. */
    private static Optional<Request> request(PageCommand command) {
        String method = "";
        String body = null;
        String target = "";
        List<String> words = command.words();
        for (int at = 0; at < words.size(); at++) {
            boolean hasNext = at + 1 < words.size();
            Matcher url = URL.matcher(words.get(at));
            if (words.get(at).equals("-X") && hasNext) {
                method = words.get(at + 1);
            } else if (words.get(at).equals("-d") && hasNext) {
                body = words.get(at + 1);
            } else if (url.matches()) {
                target = url.group(1);
            }
        }
        if (target.isEmpty()) {
            return Optional.empty();
        }
        String byDefault = body == null ? "GET" : "POST";
        return Optional.of(new Request(command.place(), method.isEmpty() ? byDefault : method, target, body));
    }

    private Optional<String> fault(Request request) {
        int question = request.target().indexOf('?');
        String path = question < 0 ? request.target() : request.target().substring(0, question);
        List<Map<?, ?>> routes = routes(path);
        if (routes.isEmpty()) {
            return Optional.of("no such route");
        }
        String method =
                request.method().equals("HEAD") ? "get" : request.method().toLowerCase(Locale.ROOT);
        Object operation = routes.get(0).get(method);
        if (!(operation instanceof Map<?, ?> found)) {
            return Optional.of("the route has no such method");
        }
        Set<String> unknown =
                new TreeSet<>(question < 0 ? Set.of() : names(request.target().substring(question + 1)));
        unknown.removeAll(parameters(routes.get(0)));
        unknown.removeAll(parameters(found));
        if (!unknown.isEmpty()) {
            return Optional.of("no parameters " + unknown);
        }
        String body = request.body();
        if (body == null) {
            return Optional.empty();
        }
        Map<?, ?> given = new Yaml().load(body);
        Set<String> fields = texts(given.keySet());
        fields.removeAll(properties(at(found, "requestBody", "content", "application/json", "schema")));
        return fields.isEmpty() ? Optional.empty() : Optional.of("no fields " + fields);
    }

    /** What the description says of the path; of a literal path before that of a pattern. */
    private List<Map<?, ?>> routes(String path) {
        List<Map<?, ?>> routes = new ArrayList<>();
        if (description.get("paths") instanceof Map<?, ?> paths) {
            paths.forEach((template, route) -> {
                String pattern = template.toString().replaceAll("\\{[^}]+}", "[^/]+");
                if (route instanceof Map<?, ?> known && path.matches(pattern)) {
                    routes.add(template.equals(path) ? 0 : routes.size(), known);
                }
            });
        }
        return routes;
    }

    private static Set<String> names(String query) {
        Set<String> names = new TreeSet<>();
        for (String pair : query.split("&", -1)) {
            names.add(pair.replaceFirst("=.*", ""));
        }
        return names;
    }

    private Set<String> parameters(Map<?, ?> of) {
        Set<String> names = new TreeSet<>();
        if (of.get("parameters") instanceof List<?> list) {
            for (Object each : list) {
                if (resolved(each) instanceof Map<?, ?> parameter && "query".equals(parameter.get("in"))) {
                    names.add(String.valueOf(parameter.get("name")));
                }
            }
        }
        return names;
    }

    /** Of a schema, or of all its alternatives. */
    private Set<String> properties(@Nullable Object schema) {
        Set<String> names = new TreeSet<>();
        if (resolved(schema) instanceof Map<?, ?> known) {
            if (known.get("properties") instanceof Map<?, ?> properties) {
                names.addAll(texts(properties.keySet()));
            }
            for (String several : List.of("oneOf", "anyOf", "allOf")) {
                if (known.get(several) instanceof List<?> parts) {
                    parts.forEach(part -> names.addAll(properties(part)));
                }
            }
        }
        return names;
    }

    private static Set<String> texts(Set<?> keys) {
        Set<String> texts = new TreeSet<>();
        keys.forEach(key -> texts.add(key.toString()));
        return texts;
    }

    private @Nullable Object at(@Nullable Object from, String... path) {
        Object at = from;
        for (String key : path) {
            at = resolved(at) instanceof Map<?, ?> object ? object.get(key) : null;
        }
        return at;
    }

    /** Follows a reference within the description. */
    private @Nullable Object resolved(@Nullable Object object) {
        if (object instanceof Map<?, ?> map && map.get("$ref") instanceof String reference) {
            return at(description, reference.substring("#/".length()).split("/", -1));
        }
        return object;
    }
}
