package io.godwit.api.contract;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** {@code openapi.yaml}: the only description of the API. Immutable, thread-safe. */
public final class Contract {
    private static final String RESOURCE = "/io/godwit/api/openapi.yaml";
    private static final List<String> METHODS = List.of("get", "put", "post", "delete", "patch");

    private final String text;
    private final Map<String, Operation> operations = new LinkedHashMap<>();

    private Contract(String text) {
        this.text = text;
        Map<String, Object> parsed = new Yaml(new SafeConstructor(new LoaderOptions())).load(text);
        JsonObject document = new JsonObject(parsed);
        JsonObject paths = (JsonObject) SchemaCheck.inlined(document.getJsonObject("paths"), document, 0);
        for (String path : paths.fieldNames()) {
            JsonObject item = paths.getJsonObject(path);
            for (String method : METHODS) {
                if (item.getValue(method) instanceof JsonObject operation) {
                    Operation made = new Operation(path, method, operation);
                    if (operations.put(made.id(), made) != null) {
                        throw new IllegalArgumentException("the document has two operations " + made.id());
                    }
                }
            }
        }
    }

    /** Reads the document from the jar. Takes some tens of milliseconds. */
    public static Contract load() {
        try (InputStream in = Contract.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException("the jar has no " + RESOURCE);
            }
            return new Contract(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @throws IllegalArgumentException when the document uses a form that this class does not support */
    static Contract parse(String text) {
        return new Contract(text);
    }

    /** The text as it is in the jar. */
    public String text() {
        return text;
    }

    /** In the order of the document. */
    public List<Operation> operations() {
        return List.copyOf(operations.values());
    }

    /** @throws IllegalArgumentException when the document has no operation with that id */
    public Operation operation(String id) {
        Operation operation = operations.get(id);
        if (operation == null) {
            throw new IllegalArgumentException("the document has no operation " + id);
        }
        return operation;
    }
}
