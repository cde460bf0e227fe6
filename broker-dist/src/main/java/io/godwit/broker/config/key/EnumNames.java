package io.godwit.broker.config.key;

import java.util.Locale;

/** The spelling of constants in the configuration file and in output for people. */
public final class EnumNames {
    private EnumNames() {}

    /** In lower case, with '-' in place of '_'. */
    public static String of(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
