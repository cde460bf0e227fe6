/**
 * MQTT 3.1.1 and 5.0 on the wire as the tests read it: written apart from the broker's codec, so that the two share no
 * mistake.
 */
@NullMarked
package io.godwit.it.wire;

import org.jspecify.annotations.NullMarked;
