package io.godwit.broker.config;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * One key of the configuration, stated once: the file that ships, the reference page, the names of environment
 * variables, the search for the nearest key and the binding all come from here.
 *
 * <p>The component's type decides how its text is read: {@code boolean}, {@code int}, {@code long}, {@code String}, an
 * enum (in lower case, with '-' for '_'), a list of strings or of a type with {@code static parse(String)}, or a map
 * from names to an enum ({@code name=value,name=value}).
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Key {
    /** The default, as the file writes it. Empty: an empty text, list or map. */
    String value() default "";

    /**
     * What it does, for those who run a broker: paragraphs, separated by an empty line. Lines that begin with a blank
     * stay as they are. Empty where the text of the key before is for this one too.
     */
    String text() default "";

    /** The least number. */
    long min() default Long.MIN_VALUE;

    /** The largest number. */
    long max() default Long.MAX_VALUE;

    /** Whether 0 is valid below {@link #min} too, with a meaning of its own. */
    boolean orZero() default false;

    /** What a number counts, which decides the units that it may be written with. */
    Unit unit() default Unit.NONE;

    /** What else must hold of a text, or of each item of a list. */
    Class<? extends Check> check() default Check.None.class;

    /** Whether items of a list may stand on one line with commas between them; else it is a YAML list. */
    boolean commas() default true;

    /** The name in the file, where it is not the component's. */
    String name() default "";

    /** The path of the key whose value holds where this one is not given, instead of {@link #value}. */
    String from() default "";

    /** What the file that ships says instead of the default; empty for the default. */
    String shipped() default "";

    /** Whether a change of it in the file takes effect while the broker runs. */
    boolean reload() default false;

    /** Whether its value is shown to nobody: in no message, log or answer to operators. */
    boolean secret() default false;
}
