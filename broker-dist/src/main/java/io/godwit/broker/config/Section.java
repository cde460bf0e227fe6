package io.godwit.broker.config;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Keys that stand together. The component's type is a record of {@link Key}s and sections, or a list of such: then the
 * file may hold one mapping or a list of them, and there are none unless it does.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Section {
    /** As {@link Key#text}. */
    String text() default "";

    /** Whether its keys are keys of the section that it stands in, and its own name is not in the file. */
    boolean inline() default false;

    /**
     * The path of a section whose keys of the same names give the values of those that are not given here; empty for
     * none.
     */
    String from() default "";

    /** Whether the file that ships lists its keys here; else another section does. */
    boolean listed() default true;

    /** Of a list: whether there is one with its defaults when the file has none. */
    boolean needed() default false;
}
