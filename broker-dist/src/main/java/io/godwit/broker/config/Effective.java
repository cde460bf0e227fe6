package io.godwit.broker.config;

import io.godwit.broker.config.key.ConfigKey;

/**
 * A key with the value in force.
 *
 * @param path in the file, or the name of the system property
 * @param text the value as the file spells it; may be secret, so people are shown {@link #shown}
 * @param isDefault whether it equals the value of a key that is not given: the default, or the value of another key
 * @param origin where it was given, for people; empty if it was not
 * @param reload whether a change takes effect while the broker runs
 * @param isSecret as {@link ConfigKey#secret}
 */
public record Effective(String path, String text, boolean isDefault, String origin, boolean reload, boolean isSecret) {
    private static final String MASK = "********";

    /** The value for people: masked if it is secret. */
    public String shown() {
        return isSecret && !text.isEmpty() ? MASK : text;
    }

    @Override
    public String toString() {
        return path + "=" + shown();
    }
}
