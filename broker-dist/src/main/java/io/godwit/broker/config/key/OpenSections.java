package io.godwit.broker.config.key;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Sections with names that users choose, and with keys that only another part knows, which also reports unknown ones.
 * The component's type is a map from names to {@link OpenSection}. There are no environment variables for their keys.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface OpenSections {
    /** As {@link ConfigKey#text}. */
    String text() default "";
}
