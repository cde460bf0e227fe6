/** The version of the broker. */
@NullMarked
package io.godwit.broker.release;

import org.jspecify.annotations.NullMarked;
