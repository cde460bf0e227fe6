/**
 * Configuration as records: {@link io.godwit.broker.config.Key} states a key once, with its default, bounds and text.
 * {@link io.godwit.broker.config.Binder} makes the records out of the file, the environment and the system properties;
 * {@link io.godwit.broker.config.Template} and {@link io.godwit.broker.config.Reference} write what people read.
 */
@NullMarked
package io.godwit.broker.config;

import org.jspecify.annotations.NullMarked;
