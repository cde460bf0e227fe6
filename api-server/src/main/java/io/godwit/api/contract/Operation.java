package io.godwit.api.contract;

import io.godwit.api.auth.Role;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One method of one path of the document. Immutable, thread-safe. */
public final class Operation {
    private static final String JSON = "application/json";
    private static final String EVENT_STREAM = "text/event-stream";

    private final String id;
    private final String path;
    private final String method;
    private final Optional<Role> role;
    private final boolean isOfTenant;
    private final Set<String> unlogged;
    private final boolean isAuditedRead;
    private final boolean isMarkedSearch;
    private final Map<String, Parameter> parameters = new LinkedHashMap<>();
    private final SchemaCheck parameterCheck;
    private final @Nullable SchemaCheck bodyCheck;
    /** Schemas of bodies, by status and media type. */
    private final Map<String, Map<String, JsonObject>> answers = new LinkedHashMap<>();
    /** Made on first use: by default a broker does not check answers, and these checks take most of the memory. */
    private final Map<String, SchemaCheck> answerChecks = new ConcurrentHashMap<>();

    /** Schemas of the events of a streamed answer, by event name; empty for other answers. */
    private final Map<String, JsonObject> events = new LinkedHashMap<>();

    private final Set<String> itemFields;

    /** @param document of the operation, with references resolved */
    Operation(String path, String method, JsonObject document) {
        this.id = required(document, "operationId");
        this.path = path;
        this.method = method.toUpperCase(Locale.ROOT);
        String needed = required(document, "x-godwit-role");
        this.role = needed.equals("none")
                ? Optional.empty()
                : Optional.of(Role.parse(needed)
                        .orElseThrow(() -> new IllegalArgumentException(id + " has the role " + needed)));
        this.isOfTenant = "tenant".equals(document.getString("x-godwit-scope"));
        this.isAuditedRead = document.getBoolean("x-godwit-audited", false);
        this.isMarkedSearch = document.getBoolean("x-godwit-search", false);
        this.unlogged = document.getJsonArray("x-godwit-unlogged", new JsonArray()).stream()
                .map(String.class::cast)
                .collect(Collectors.toUnmodifiableSet());
        JsonObject properties = new JsonObject();
        JsonArray mandatory = new JsonArray();
        for (JsonObject each : objects(document.getJsonArray("parameters", new JsonArray()))) {
            Parameter parameter = new Parameter(each);
            if (parameter.isInHeader()) {
                continue;
            }
            parameters.put(parameter.name(), parameter);
            properties.put(parameter.name(), parameter.schema());
            if (each.getBoolean("required", false)) {
                mandatory.add(parameter.name());
            }
        }
        this.parameterCheck = new SchemaCheck(new JsonObject()
                .put("type", "object")
                .put("properties", properties)
                .put("required", mandatory));
        JsonObject body = document.getJsonObject("requestBody");
        this.bodyCheck = body == null
                ? null
                : new SchemaCheck(
                        body.getJsonObject("content").getJsonObject(JSON).getJsonObject("schema"));
        JsonObject responses = document.getJsonObject("responses");
        for (String status : responses.fieldNames()) {
            Map<String, JsonObject> byType = new LinkedHashMap<>();
            JsonObject content = responses.getJsonObject(status).getJsonObject("content", new JsonObject());
            content.fieldNames()
                    .forEach(
                            type -> byType.put(type, content.getJsonObject(type).getJsonObject("schema")));
            answers.put(status, byType);
            JsonObject streamed = content.getJsonObject(EVENT_STREAM, new JsonObject())
                    .getJsonObject("x-godwit-events", new JsonObject());
            streamed.fieldNames().forEach(event -> events.put(event, streamed.getJsonObject(event)));
        }
        this.itemFields = itemFields(responses);
    }

    private static String required(JsonObject object, String name) {
        String value = object.getString(name);
        if (value == null) {
            throw new IllegalArgumentException("an operation of the document has no " + name + ": " + object);
        }
        return value;
    }

    /** The fields of an item of a 200 answer that has {@code items}, or an {@code item}; empty for other answers. */
    private static Set<String> itemFields(JsonObject responses) {
        JsonObject schema = responses
                .getJsonObject("200", new JsonObject())
                .getJsonObject("content", new JsonObject())
                .getJsonObject(JSON, new JsonObject())
                .getJsonObject("schema", new JsonObject())
                .getJsonObject("properties", new JsonObject());
        JsonObject item = schema.getJsonObject(
                "item", schema.getJsonObject("items", new JsonObject()).getJsonObject("items", new JsonObject()));
        return Set.copyOf(item.getJsonObject("properties", new JsonObject()).fieldNames());
    }

    public String id() {
        return id;
    }

    /** As in the document, with {@code {name}} for a parameter. */
    public String path() {
        return path;
    }

    /** In upper case. */
    public String method() {
        return method;
    }

    /** The role that a caller needs; empty when anyone may call it. */
    public Optional<Role> role() {
        return role;
    }

    /** Whether a token that is bound to a tenant may be used. */
    public boolean isOfTenant() {
        return isOfTenant;
    }

    /** Fields of the body that must not be logged: the content of messages and the like. */
    public Set<String> unlogged() {
        return unlogged;
    }

    public boolean changes() {
        return !method.equals("GET");
    }

    /** Whether the audit log records it: it changes something, or it reads everything. */
    public boolean isAudited() {
        return changes() || isAuditedRead;
    }

    /** Whether it may read a lot: each caller may have only a few of these under way. */
    public boolean isSearch() {
        return isMarkedSearch || parameters.containsKey("cursor") || parameters.containsKey("filter");
    }

    public boolean hasBody() {
        return bodyCheck != null;
    }

    /**
     * The parameters of the request, in the types of the document, with defaults.
     *
     * @param query decoded names and values
     * @param inPath decoded
     * @throws InvalidRequestException naming the parameters that are unknown, given twice, or wrong
     */
    public JsonObject parameters(Collection<Map.Entry<String, String>> query, Map<String, String> inPath)
            throws InvalidRequestException {
        List<FieldError> errors = new ArrayList<>();
        JsonObject values = new JsonObject();
        inPath.forEach((name, text) -> put(values, name, text, errors));
        for (Map.Entry<String, String> given : query) {
            Parameter parameter = parameters.get(given.getKey());
            if (parameter == null || parameter.isInPath()) {
                errors.add(new FieldError(shortened(given.getKey()), "is not known; " + known()));
            } else if (values.containsKey(parameter.name())) {
                errors.add(new FieldError(parameter.name(), "is given twice"));
            } else {
                put(values, parameter.name(), given.getValue(), errors);
            }
            if (errors.size() > 20) {
                break;
            }
        }
        if (errors.isEmpty()) {
            errors.addAll(parameterCheck.errors(values));
            errors.addAll(unknownFields(values));
        }
        if (!errors.isEmpty()) {
            throw new InvalidRequestException(errors);
        }
        parameters.values().forEach(parameter -> parameter.putDefault(values));
        return values;
    }

    private void put(JsonObject values, String name, String text, List<FieldError> errors) {
        Parameter parameter = parameters.get(name);
        if (parameter == null) {
            throw new IllegalStateException("the document has no parameter " + name + " in " + path);
        }
        try {
            values.put(name, parameter.value(text));
        } catch (IllegalArgumentException e) {
            errors.add(new FieldError(name, e.getMessage() == null ? "is wrong" : e.getMessage()));
        }
    }

    private String known() {
        List<String> names = parameters.values().stream()
                .filter(parameter -> !parameter.isInPath())
                .map(Parameter::name)
                .toList();
        return names.isEmpty() ? "there are no parameters here" : "known are " + String.join(", ", names);
    }

    private List<FieldError> unknownFields(JsonObject values) {
        if (!(values.getValue("fields") instanceof JsonArray wanted)) {
            return List.of();
        }
        return wanted.stream()
                .map(String.class::cast)
                .filter(field -> !itemFields.contains(field))
                .map(field -> new FieldError("fields", "there is no field " + shortened(field)))
                .toList();
    }

    private static String shortened(String text) {
        return text.length() <= 64 ? text : text.substring(0, 64) + "...";
    }

    /**
     * Checks a body.
     *
     * @throws InvalidRequestException naming the fields that are unknown, missing or wrong
     */
    public void checkBody(Object body) throws InvalidRequestException {
        if (bodyCheck == null) {
            throw new IllegalStateException(id + " takes no body");
        }
        List<FieldError> errors = bodyCheck.errors(body);
        if (!errors.isEmpty()) {
            throw new InvalidRequestException(
                    errors.stream().map(this::withPlace).toList());
        }
    }

    /** Adds where the field belongs, if it is a parameter of the request. */
    private FieldError withPlace(FieldError error) {
        Parameter parameter = parameters.get(error.field());
        return parameter != null && error.message().equals(SchemaCheck.NO_FIELD)
                ? new FieldError(error.field(), SchemaCheck.NO_FIELD + ", but a parameter of the address")
                : error;
    }

    /** Whether the answer is a stream of server-sent events. */
    public boolean isStream() {
        return !events.isEmpty();
    }

    /** Schemas of the events of a stream, by event name. */
    public Map<String, JsonObject> events() {
        return Map.copyOf(events);
    }

    /** Where an event of a stream differs from the document. */
    public List<FieldError> eventErrors(String name, JsonObject data) {
        JsonObject schema = events.get(name);
        return schema == null
                ? List.of(new FieldError("event", "the document has no event " + name + " for " + id))
                : answerChecks
                        .computeIfAbsent("event " + name, key -> new SchemaCheck(schema))
                        .errors(data);
    }

    /** Schemas of bodies of answers, by status and media type. */
    Map<String, Map<String, JsonObject>> answers() {
        return answers;
    }

    /**
     * Where an answer differs from the document.
     *
     * @param type without parameters; empty for an answer without a body
     * @param body a JSON value, or a text
     */
    public List<FieldError> answerErrors(int status, String type, Object body) {
        String known = answers.containsKey(Integer.toString(status)) ? Integer.toString(status) : "default";
        Map<String, JsonObject> byType = answers.get(known);
        if (byType == null) {
            return List.of(new FieldError("status", "the document has no status " + status + " for " + id));
        }
        if (type.isEmpty()) {
            return byType.isEmpty() ? List.of() : List.of(new FieldError("", "there is no body"));
        }
        JsonObject schema = byType.get(type);
        return schema == null
                ? List.of(new FieldError("content-type", "the document has no " + type + " for " + status))
                : answerChecks
                        .computeIfAbsent(known + ' ' + type, key -> new SchemaCheck(schema))
                        .errors(body);
    }

    private static List<JsonObject> objects(JsonArray array) {
        return array.stream().map(JsonObject.class::cast).toList();
    }
}
