package io.godwit.broker.config;

/**
 * A key with the value in force.
 *
 * @param path in the file, or the name of the system property
 * @param text the value, as the file writes it
 * @param isDefault whether it would have this value without being given: the default, or the value of the key that it
 *     takes it from
 * @param origin where it was given, for people; empty when it was not
 * @param reload whether a change takes effect while the broker runs
 */
public record Effective(String path, String text, boolean isDefault, String origin, boolean reload) {
    @Override
    public String toString() {
        return path + "=" + text;
    }
}
