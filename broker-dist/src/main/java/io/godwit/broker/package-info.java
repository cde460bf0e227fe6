/** Wiring and start of the broker. */
@NullMarked
package io.godwit.broker;

import org.jspecify.annotations.NullMarked;
