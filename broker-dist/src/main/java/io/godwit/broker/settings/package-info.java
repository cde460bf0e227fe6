/** What can be configured, as records of the sections of {@code standalone.yml}; each key is stated here alone. */
@NullMarked
package io.godwit.broker.settings;

import org.jspecify.annotations.NullMarked;
