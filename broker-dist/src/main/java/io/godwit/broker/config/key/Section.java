package io.godwit.broker.config.key;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A group of keys. The component's type is a record of {@link ConfigKey}s and sections, or a list of such records: then
 * the file may have one mapping or a list of them, and without either there are none.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Section {
    /** As {@link ConfigKey#text}. */
    String text() default "";

    /** Whether its keys belong to the section around it, and its own name is not in the file. */
    boolean inline() default false;

    /**
     * The path of a section that provides the values of keys that are not given here, by the same names; empty for
     * none.
     */
    String from() default "";

    /** Whether the shipped file lists its keys here; otherwise another section lists them. */
    boolean listed() default true;

    /** For a list: whether there is one section with its defaults if the file has none. */
    boolean needed() default false;
}
