package io.godwit.api.contract;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.JsonSchemaOptions;
import io.vertx.json.schema.OutputFormat;
import io.vertx.json.schema.OutputUnit;
import io.vertx.json.schema.Validator;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks a value against a schema of the document and gives an error for each wrong field. Thread-safe once made.
 *
 * <p>The validator reports a fault once for each enclosing schema, and reports a wrong property also as an additional
 * one. Only the innermost error is kept.
 */
final class SchemaCheck {
    private static final JsonSchemaOptions OPTIONS = new JsonSchemaOptions()
            .setBaseUri("https://godwit.invalid/")
            .setDraft(Draft.DRAFT202012)
            .setOutputFormat(OutputFormat.Basic);

    /** The message for a field that the schema does not have. */
    static final String NO_FIELD = "is no field of the body";

    private static final Set<String> AROUND = Set.of("properties", "items", "additionalProperties");
    private static final String ADDITIONAL = "/additionalProperties";
    private static final String REQUIRED = "/required";
    private static final Pattern QUOTED = Pattern.compile("\"(.+)\"");
    /** An unescaped dollar sign at the end. */
    private static final Pattern END = Pattern.compile("(?<!\\\\)\\$$");

    private static final int MAX_ERRORS = 20;

    private final Validator validator;

    SchemaCheck(JsonObject schema) {
        validator = Validator.create(JsonSchema.of((JsonObject) anchored(schema)), OPTIONS);
    }

    /**
     * A copy in which a {@code $} at the end of a pattern matches only the end of the text, as JSON Schema says: in
     * Java {@code $} also matches before a final line break.
     */
    private static Object anchored(Object node) {
        if (node instanceof JsonArray array) {
            JsonArray copy = new JsonArray();
            array.forEach(item -> copy.add(anchored(item)));
            return copy;
        }
        if (!(node instanceof JsonObject object)) {
            return node;
        }
        JsonObject copy = new JsonObject();
        object.forEach(member -> copy.put(
                member.getKey(),
                member.getKey().equals("pattern") && member.getValue() instanceof String pattern
                        ? END.matcher(pattern).replaceFirst("\\\\z")
                        : anchored(member.getValue())));
        return copy;
    }

    /** @return empty when the value matches the schema; at most twenty */
    List<FieldError> errors(Object value) {
        OutputUnit result = validator.validate(value);
        if (Boolean.TRUE.equals(result.getValid())) {
            return List.of();
        }
        List<OutputUnit> units = result.getErrors() == null ? List.of() : result.getErrors();
        Map<String, FieldError> byField = new LinkedHashMap<>();
        for (OutputUnit unit : units) {
            if (!isAround(unit)) {
                add(byField, error(unit));
            }
        }
        Set<String> known = known(units);
        for (OutputUnit unit : units) {
            if (byField.size() == MAX_ERRORS) {
                break;
            }
            String field = field(unit.getInstanceLocation());
            if (unit.getKeywordLocation().endsWith(ADDITIONAL)
                    && !known.contains(unit.getInstanceLocation())
                    && byField.keySet().stream().noneMatch(other -> other.equals(field) || isBelow(other, field))) {
                add(byField, new FieldError(field, NO_FIELD));
            }
        }
        if (byField.isEmpty()) {
            add(byField, new FieldError("", "is not valid"));
        }
        return new ArrayList<>(byField.values());
    }

    /**
     * Locations of objects in which a known property does not match its schema. Takes linear time, since callers choose
     * the number of errors.
     */
    private static Set<String> known(List<OutputUnit> units) {
        Set<String> known = new HashSet<>();
        for (OutputUnit unit : units) {
            if (unit.getKeywordLocation().endsWith("/properties")) {
                known.add(unit.getInstanceLocation());
            }
        }
        return known;
    }

    private static void add(Map<String, FieldError> errors, FieldError error) {
        if (errors.size() < MAX_ERRORS) {
            errors.putIfAbsent(error.field(), error);
        }
    }

    private static boolean isBelow(String field, String parent) {
        return parent.isEmpty() || field.startsWith(parent + ".");
    }

    private static boolean isAround(OutputUnit unit) {
        String location = unit.getKeywordLocation();
        return AROUND.contains(location.substring(location.lastIndexOf('/') + 1));
    }

    private static FieldError error(OutputUnit unit) {
        String field = field(unit.getInstanceLocation());
        if (unit.getKeywordLocation().endsWith(REQUIRED)) {
            Matcher name = QUOTED.matcher(unit.getError());
            if (name.find()) {
                return new FieldError(field.isEmpty() ? name.group(1) : field + "." + name.group(1), "is missing");
            }
        }
        return new FieldError(field, unit.getError());
    }

    /** {@code #/a/0/b} as {@code a.0.b}. */
    private static String field(String pointer) {
        String path =
                pointer.startsWith("#/") ? pointer.substring(2) : pointer.substring(pointer.startsWith("#") ? 1 : 0);
        return path.replace('/', '.').replace("~1", "/").replace("~0", "~");
    }

    /** A copy in which every {@code $ref} into {@code document} is replaced by what it points to. */
    static Object inlined(Object node, JsonObject document, int depth) {
        if (depth > 50) {
            throw new IllegalArgumentException("references of the document form a circle, or are too deep");
        }
        if (node instanceof JsonArray array) {
            JsonArray copy = new JsonArray();
            array.forEach(item -> copy.add(inlined(item, document, depth + 1)));
            return copy;
        }
        if (!(node instanceof JsonObject object)) {
            return node;
        }
        if (object.getValue("$ref") instanceof String reference) {
            return inlined(target(reference, document), document, depth + 1);
        }
        JsonObject copy = new JsonObject();
        object.forEach(member -> copy.put(member.getKey(), inlined(member.getValue(), document, depth + 1)));
        return copy;
    }

    private static Object target(String reference, JsonObject document) {
        Object at = document;
        for (String step : reference.substring(reference.indexOf('/') + 1).split("/", -1)) {
            at = at instanceof JsonObject object ? object.getValue(step) : null;
            if (at == null) {
                throw new IllegalArgumentException("the document has no " + reference);
            }
        }
        return at;
    }
}
