package io.godwit.broker.config;

import java.util.Locale;

/** How constants are written in the file, and in what people read. */
public final class EnumNames {
    private EnumNames() {}

    /** In lower case, with '-' for '_'. */
    public static String of(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
