/**
 * Writes the documentation of a configuration from its keys: the file with all keys ({@link Template}) and the page of
 * keys ({@link Reference}).
 */
@NullMarked
package io.godwit.broker.config.page;

import org.jspecify.annotations.NullMarked;
