package io.godwit.plugin.context;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Settings from the configuration file. Reading a key makes it known; a key of the file that is still unknown when
 * {@link Plugin#create} has returned is refused, and the error names the nearest known key.
 *
 * <p>No call throws for a wrong value. The error is noted and the call returns the fallback; after
 * {@link Plugin#create} the broker reports all errors together and does not start. So a plugin need not check the
 * values again.
 *
 * <p>Only for the thread that {@link Plugin#create} is called on, and during that call. An empty key counts as absent.
 * Values may refer to environment variables: {@code ${LDAP_PASSWORD}}.
 */
public interface PluginSettings {
    /** Any text. */
    String text(String key, String fallback);

    /** A text that must be given. If it is not, returns an empty text and notes an error. */
    String requiredText(String key);

    /**
     * As {@link #text}, but error messages leave out the value. (Operators never see the value of a plugin's setting.)
     */
    String secret(String key, String fallback);

    /** {@code true} or {@code false}. */
    boolean flag(String key, boolean fallback);

    /**
     * A whole number.
     *
     * @param min the least valid value
     * @param max the largest valid value
     */
    long number(String key, long fallback, long min, long max);

    /** Bytes: a whole number, or one with KB, MB, GB or TB (1,024 bytes, and so on). */
    long bytes(String key, long fallback, long min, long max);

    /** Whole seconds: a number, or one with s, m, h or d. */
    Duration duration(String key, Duration fallback, Duration min, Duration max);

    /** An enum constant, written in lower case with '-' for '_'. */
    <E extends Enum<E>> E choice(String key, E fallback);

    /** A list, or texts separated by commas; at most 1,000. Empty when it is not given. */
    List<String> list(String key);

    /** The name of a file, relative to the configuration file, like the fallback. The file need not exist. */
    Path file(String key, String fallback);

    /** The section of keys under {@code key}; empty when it is not given. At most 6 levels of nesting. */
    PluginSettings section(String key);

    /**
     * Notes another error, reported together with all others.
     *
     * @param key of this section
     * @param message such as "must be an ldap:// or ldaps:// address"
     */
    void error(String key, String message);
}
