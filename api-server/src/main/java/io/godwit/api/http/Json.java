package io.godwit.api.http;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Values as JSON: a record as an object of its components, an enum in lower case with hyphens, a map by its keys. The
 * document lists the components, and tests compare them.
 */
public final class Json {
    private Json() {}

    /** @throws IllegalArgumentException for a value without a JSON form */
    public static JsonObject object(Record value) {
        JsonObject object = new JsonObject();
        for (RecordComponent component : value.getClass().getRecordComponents()) {
            try {
                object.put(component.getName(), value(component.getAccessor().invoke(value)));
            } catch (IllegalAccessException | InvocationTargetException e) {
                throw new IllegalArgumentException("no JSON of " + value.getClass() + "." + component.getName(), e);
            }
        }
        return object;
    }

    public static JsonArray array(Collection<?> values) {
        JsonArray array = new JsonArray();
        values.forEach(each -> array.add(value(each)));
        return array;
    }

    /** Leaves out numbers that JSON cannot express. */
    public static JsonObject figures(Map<String, Number> figures) {
        JsonObject object = new JsonObject();
        figures.forEach((name, number) -> {
            if (Double.isFinite(number.doubleValue())) {
                object.put(name, number);
            }
        });
        return object;
    }

    private static Object value(Object value) {
        if (value instanceof Enum<?> each) {
            return each.name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
        if (value instanceof Collection<?> list) {
            return array(list);
        }
        if (value instanceof Map<?, ?> map) {
            JsonObject object = new JsonObject();
            new TreeMap<>(map).forEach((name, each) -> object.put(String.valueOf(name), value(each)));
            return object;
        }
        if (value instanceof Double number && !Double.isFinite(number)) {
            throw new IllegalArgumentException("JSON has no " + number);
        }
        if (value instanceof String || value instanceof Number || value instanceof Boolean) {
            return value;
        }
        if (value instanceof Record record) {
            return object(record);
        }
        throw new IllegalArgumentException("no JSON of " + value);
    }
}
