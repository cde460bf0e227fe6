package io.godwit.broker.config;

import java.util.List;

/** The configuration cannot be used. Carries every error found, so that they can be mended in one go. */
public final class ConfigException extends Exception {
    private static final long serialVersionUID = 1L;

    private final List<String> errors;

    public ConfigException(List<String> errors) {
        super(String.join(System.lineSeparator(), errors), null, false, false);
        this.errors = List.copyOf(errors);
    }

    /** An error each, naming its key; some have several lines. */
    public List<String> errors() {
        return errors;
    }
}
