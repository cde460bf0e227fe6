/**
 * Configuration as records: {@link io.godwit.broker.config.key.Key} defines a key in one place, with its default, bounds
 * and text. {@link Binder} creates the records from the file, the environment and the system properties; {@link Template}
 * and {@link Reference} write the documentation.
 */
@NullMarked
package io.godwit.broker.config;

import org.jspecify.annotations.NullMarked;
