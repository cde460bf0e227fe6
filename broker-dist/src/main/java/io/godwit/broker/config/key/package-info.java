/**
 * What defines the keys of a configuration: {@link ConfigKey} and {@link Section} stand at components of records, and
 * {@link Level} and {@link KeySpec} are read from them.
 */
@NullMarked
package io.godwit.broker.config.key;

import org.jspecify.annotations.NullMarked;
