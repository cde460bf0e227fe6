package io.godwit.broker.config;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Sections by names that people choose, whose keys are known to somebody else, who also says which are unknown. The
 * component's type is a map from names to {@link OpenSection}. The environment has no variables for their keys.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface OpenSections {
    /** As {@link Key#text}. */
    String text() default "";
}
