package io.godwit.plugin.context;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Settings out of the configuration file. Reading a key makes it known; a key of the file that is not known when
 * {@link Plugin#create} has returned is refused, and the nearest known one named.
 *
 * <p>No call throws for what people wrote. A value that is not valid is noted, and the fallback is returned for the
 * time being: after {@link Plugin#create} the broker tells all that is wrong at once, and does not start. So values
 * need no second look.
 *
 * <p>Only for the thread that {@link Plugin#create} is called on, and during that call. A key that is left empty is as
 * one that is not given. Values may name the environment: {@code ${LDAP_PASSWORD}}.
 */
public interface PluginSettings {
    /** Any text. */
    String text(String key, String fallback);

    /** A text that has to be given. Empty when it is not, which is an error. */
    String requiredText(String key);

    /** As {@link #text}, but no message has the value. (Operators are shown the value of no setting of a plugin.) */
    String secret(String key, String fallback);

    /** {@code true} or {@code false}. */
    boolean flag(String key, boolean fallback);

    /**
     * A whole number.
     *
     * @param min the least that is valid
     * @param max the largest
     */
    long number(String key, long fallback, long min, long max);

    /** Bytes: a whole number, or one with KB, MB, GB or TB (1,024 bytes, and so on). */
    long bytes(String key, long fallback, long min, long max);

    /** Whole seconds: a number, or one with s, m, h or d. */
    Duration duration(String key, Duration fallback, Duration min, Duration max);

    /** A constant: its name in lower case, with '-' for '_'. */
    <E extends Enum<E>> E choice(String key, E fallback);

    /** A list, or texts with commas between them; at most 1,000. Empty when it is not given. */
    List<String> list(String key);

    /** The name of a file, relative to the configuration file; the fallback is too. It need not be there. */
    Path file(String key, String fallback);

    /** Keys that stand together under {@code key}; none when it is not given. At most 6 sections in one another. */
    PluginSettings section(String key);

    /**
     * Notes what else is wrong, to be told with all other errors.
     *
     * @param key of this section
     * @param message such as "must be an ldap:// or ldaps:// address"
     */
    void error(String key, String message);
}
