/** Twins of the stores in memory, for the tests of the frontend. */
@NullMarked
package io.godwit.mqtt.twin;

import org.jspecify.annotations.NullMarked;
