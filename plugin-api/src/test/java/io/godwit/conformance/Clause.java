package io.godwit.conformance;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The normative statements that a test holds the broker to: it would fail if the broker broke one of them. Stands on a
 * test method, or on the method that hands a parameterized test its rows.
 *
 * <p>The statements are listed in {@code broker-dist/src/test/resources/conformance}. From the list and these
 * annotations the build makes {@code docs/conformance.md}; it fails when a statement for servers has no test, or an
 * annotation names none.
 */
@Retention(RetentionPolicy.SOURCE)
@Target(ElementType.METHOD)
public @interface Clause {
    /** Such as {@code MQTT5-3.3.4-7} or {@code MQTT311-4.4.0-1}. */
    String[] value();
}
