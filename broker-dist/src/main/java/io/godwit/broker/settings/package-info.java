/** The configuration as records of the sections of {@code standalone.yml}. Each key is defined only here. */
@NullMarked
package io.godwit.broker.settings;

import org.jspecify.annotations.NullMarked;
