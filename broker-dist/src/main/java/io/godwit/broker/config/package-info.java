/**
 * Configuration as records. {@link ConfigSources} reads the file, the environment and the system properties, and {@link
 * Binder} creates the records from their values.
 *
 * <pre>
 * key                defines a key in one place, with its default, bounds and text
 * source             where values come from
 * page               writes the documentation from the keys
 * </pre>
 */
@NullMarked
package io.godwit.broker.config;

import org.jspecify.annotations.NullMarked;
