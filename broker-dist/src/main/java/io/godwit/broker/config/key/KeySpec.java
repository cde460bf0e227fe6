package io.godwit.broker.config.key;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A component that is a {@link ConfigKey}: how its text is parsed and written.
 *
 * @param name the last part of its path
 * @param from path of the key that provides the value if this one is not given; empty for none
 * @param isList whether the file may give a YAML list, which is passed on as one item per line
 */
public record KeySpec(String name, ConfigKey key, String from, boolean isList, Function<String, Object> parser) {

    /** @param fromSection the {@link Section#from} of the section around it; empty for none */
    public static KeySpec of(RecordComponent component, ConfigKey key, String fromSection) {
        String name = key.name().isEmpty() ? component.getName() : key.name();
        String from = fromSection.isEmpty() ? key.from() : fromSection + "." + name;
        Class<?> raw = component.getType();
        return new KeySpec(
                name, key, from, raw == List.class || raw == Map.class, parser(component.getGenericType(), raw, key));
    }

    /** @throws IllegalArgumentException with a message that says what was expected */
    public Object parse(String text) {
        return parser.apply(text);
    }

    /** The value if nothing is given, without regard to {@link #from}. */
    public Object defaultValue() {
        try {
            return parser.apply(key.value());
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException("the default of " + name + " " + e.getMessage(), e);
        }
    }

    /** The spelling of a value in the file. */
    public static String text(Object value) {
        if (value instanceof Enum<?> constant) {
            return EnumNames.of(constant);
        }
        if (value instanceof List<?> items) {
            return items.stream().map(KeySpec::text).collect(Collectors.joining(", "));
        }
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .map(entry -> entry.getKey() + "=" + text(entry.getValue()))
                    .sorted()
                    .collect(Collectors.joining(", "));
        }
        return String.valueOf(value);
    }

    /** The valid values, for people; empty if any text is valid. */
    public String values(Class<?> type) {
        if (type == boolean.class) {
            return "true or false";
        }
        if (type.isEnum()) {
            return String.join(", ", names(type));
        }
        if (type == int.class || type == long.class) {
            String range =
                    key.max() >= largest(type) ? "at least " + key.min() : "from " + key.min() + " to " + key.max();
            String unit = key.unit().counted();
            return (key.orZero() ? "0, or " : "") + range + (unit.isEmpty() ? "" : " " + unit);
        }
        return "";
    }

    private static long largest(Class<?> type) {
        return type == int.class ? Integer.MAX_VALUE : Long.MAX_VALUE;
    }

    private static Function<String, Object> parser(Type type, Class<?> raw, ConfigKey key) {
        if (raw == boolean.class) {
            return KeySpec::flag;
        }
        if (raw == int.class) {
            return text -> Math.toIntExact(number(text, key, Integer.MAX_VALUE));
        }
        if (raw == long.class) {
            return text -> number(text, key, Long.MAX_VALUE);
        }
        if (raw == List.class) {
            Class<?> item = argument(type, 0);
            String separator = key.commas() ? "[,\\n]" : "\n";
            Function<String, Object> parseItem = single(item, key);
            return text -> items(text, separator).map(parseItem).toList();
        }
        if (raw == Map.class) {
            Class<?> values = argument(type, 1);
            return text -> pairs(text, values);
        }
        return single(raw, key);
    }

    private static Function<String, Object> single(Class<?> type, ConfigKey key) {
        if (type == String.class) {
            Check check = create(key.check());
            return text -> text.isEmpty() ? text : check.checked(text);
        }
        if (type.isEnum()) {
            return text -> choice(text, type);
        }
        try {
            Method parse = type.getMethod("parse", String.class);
            if (Modifier.isStatic(parse.getModifiers())) {
                return text -> invoke(parse, text);
            }
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(type + " has no public static parse(String)", e);
        }
        throw new IllegalStateException(type + " has no public static parse(String)");
    }

    private static Object flag(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("must be true or false");
        };
    }

    private static long number(String text, ConfigKey key, long largest) {
        long value = key.unit().parse(text);
        long max = Math.min(key.max(), largest);
        if (key.orZero() && value == 0) {
            return 0;
        }
        if (value < key.min() || value > max) {
            throw new IllegalArgumentException(
                    "must be " + (key.orZero() ? "0, or " : "") + "from " + key.min() + " to " + max);
        }
        return value;
    }

    private static Stream<String> items(String text, String separator) {
        return Stream.of(text.split(separator, -1)).map(String::strip).filter(part -> !part.isEmpty());
    }

    private static Object pairs(String text, Class<?> type) {
        Map<String, Object> byName = new LinkedHashMap<>();
        if (text.isEmpty()) {
            return Map.of();
        }
        for (String pair : text.split("[,\\n]", -1)) {
            int equals = pair.lastIndexOf('=');
            String name = pair.substring(0, Math.max(0, equals)).strip();
            if (name.isEmpty()) {
                throw new IllegalArgumentException("must be name=value,name=value,... but has \"" + pair + "\"");
            }
            if (byName.put(name, choice(pair.substring(equals + 1).strip(), type)) != null) {
                throw new IllegalArgumentException("must name " + name + " once");
            }
        }
        return Map.copyOf(byName);
    }

    private static Object choice(String text, Class<?> type) {
        for (Object constant : type.getEnumConstants()) {
            if (EnumNames.of((Enum<?>) constant).equals(text)) {
                return constant;
            }
        }
        throw new IllegalArgumentException("must be one of " + String.join(", ", names(type)));
    }

    private static List<String> names(Class<?> type) {
        List<String> names = new ArrayList<>();
        for (Object constant : type.getEnumConstants()) {
            names.add(EnumNames.of((Enum<?>) constant));
        }
        return names;
    }

    private static Class<?> argument(Type type, int index) {
        return (Class<?>) ((ParameterizedType) type).getActualTypeArguments()[index];
    }

    private static Check create(Class<? extends Check> type) {
        return reflect(() -> {
            Constructor<? extends Check> constructor = type.getDeclaredConstructor();
            constructor.setAccessible(true); // it may be private
            return constructor.newInstance();
        });
    }

    private static Object invoke(Method parse, String text) {
        return reflect(() -> parse.invoke(null, text));
    }

    public static <T> T reflect(Reflection<T> call) {
        try {
            return call.run();
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException(e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    public interface Reflection<T> {
        T run() throws ReflectiveOperationException;
    }
}
