package io.godwit.broker.config;

import java.util.List;

/** The configuration cannot be used. Has all errors, so that the user can correct them at once. */
public final class ConfigException extends Exception {
    private static final long serialVersionUID = 1L;

    private final List<String> errors;

    public ConfigException(List<String> errors) {
        super(String.join(System.lineSeparator(), errors), null, false, false);
        this.errors = List.copyOf(errors);
    }

    /** One entry per error, naming its key; an entry may have several lines. */
    public List<String> errors() {
        return errors;
    }
}
