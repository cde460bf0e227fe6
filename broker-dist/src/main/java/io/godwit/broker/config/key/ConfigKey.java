package io.godwit.broker.config.key;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * One key of the configuration, defined in one place: the shipped file, the reference page, the names of environment
 * variables, the search for the nearest key and the binding all use this definition.
 *
 * <p>The type of the component determines how its text is parsed: {@code boolean}, {@code int}, {@code long}, {@code
 * String}, an enum (in lower case, with '-' for '_'), a list of strings or of a type with {@code static parse(String)},
 * or a map from names to an enum ({@code name=value,name=value}).
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface ConfigKey {
    /** The default, as the file spells it. Empty for an empty text, list or map. */
    String value() default "";

    /**
     * The documentation for operators: paragraphs, separated by an empty line. Lines that begin with a blank are kept
     * as they are. Empty if the text of the key before covers this one too.
     */
    String text() default "";

    /** The smallest valid number. */
    long min() default Long.MIN_VALUE;

    /** The largest valid number. */
    long max() default Long.MAX_VALUE;

    /** Whether 0 is valid although below {@link #min}; it then has a special meaning. */
    boolean orZero() default false;

    /** The unit of a number, which determines the suffixes that it may be written with. */
    Unit unit() default Unit.NONE;

    /** A further check of a text, or of each item of a list. */
    Class<? extends Check> check() default Check.None.class;

    /** Whether a list may be written on one line with commas; otherwise it must be a YAML list. */
    boolean commas() default true;

    /** The name in the file, if it differs from the component's. */
    String name() default "";

    /** The path of the key that provides the value if this one is not given, instead of {@link #value}. */
    String from() default "";

    /** The value in the shipped file, if it differs from the default. */
    String shipped() default "";

    /** Whether a change in the file takes effect while the broker runs. */
    boolean reload() default false;

    /** Whether the value must not appear in messages, logs and answers to operators. */
    boolean secret() default false;
}
