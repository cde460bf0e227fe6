package io.godwit.api.contract;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;

/** A parameter of an operation, in its path or its query. */
final class Parameter {
    private static final List<String> TYPES = List.of("string", "integer", "boolean", "array");

    private final String name;
    private final boolean isInPath;
    private final boolean isInHeader;
    private final String type;
    private final JsonObject schema;
    /** The most items of a list. */
    private final int maxItems;

    /** @throws IllegalArgumentException for a form that this class does not support */
    Parameter(JsonObject document) {
        name = document.getString("name");
        String in = document.getString("in");
        schema = document.getJsonObject("schema");
        type = schema.getString("type");
        isInPath = in.equals("path");
        isInHeader = in.equals("header");
        if (!isInPath && !isInHeader && !in.equals("query")) {
            throw new IllegalArgumentException("parameter " + name + " is in " + in);
        }
        if (!TYPES.contains(type)) {
            throw new IllegalArgumentException("parameter " + name + " has the type " + type);
        }
        maxItems = schema.getInteger("maxItems", 0);
        if (type.equals("array") && maxItems == 0) {
            throw new IllegalArgumentException("parameter " + name + " is a list without maxItems");
        }
        if (type.equals("array") && document.getBoolean("explode", true)) {
            throw new IllegalArgumentException("parameter " + name + " is a list, which is read with commas only");
        }
    }

    String name() {
        return name;
    }

    /** Whether it is an HTTP header, which is read by the rules of HTTP. */
    boolean isInHeader() {
        return isInHeader;
    }

    boolean isInPath() {
        return isInPath;
    }

    JsonObject schema() {
        return schema;
    }

    /** @throws IllegalArgumentException saying what it must be */
    Object value(String text) {
        return switch (type) {
            case "integer" -> integer(text);
            case "boolean" -> {
                if (!text.equals("true") && !text.equals("false")) {
                    throw new IllegalArgumentException("must be true or false");
                }
                yield Boolean.valueOf(text);
            }
            case "array" -> list(text);
            default -> text;
        };
    }

    /** Refuses a list that is too long before it makes the list: a query may have a hundred thousand commas. */
    private JsonArray list(String text) {
        if (text.chars().filter(c -> c == ',').limit(maxItems).count() == maxItems) {
            throw new IllegalArgumentException("has more than " + maxItems + " parts");
        }
        return new JsonArray(List.of((Object[]) text.split(",", -1)));
    }

    private static Object integer(String text) {
        try {
            return Long.valueOf(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("must be a whole number", e);
        }
    }

    void putDefault(JsonObject values) {
        Object fallback = schema.getValue("default");
        if (fallback != null && !values.containsKey(name)) {
            values.put(name, fallback);
        }
    }
}
