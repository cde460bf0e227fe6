/**
 * Configuration as records: {@link io.godwit.broker.config.Key} defines a key in one place, with its default, bounds
 * and text. {@link io.godwit.broker.config.Binder} creates the records from the file, the environment and the system
 * properties; {@link io.godwit.broker.config.Template} and {@link io.godwit.broker.config.Reference} write the
 * documentation.
 */
@NullMarked
package io.godwit.broker.config;

import org.jspecify.annotations.NullMarked;
