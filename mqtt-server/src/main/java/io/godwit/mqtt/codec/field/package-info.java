/** The fields of packets: integers, strings and properties, with their bounds. */
@NullMarked
package io.godwit.mqtt.codec.field;

import org.jspecify.annotations.NullMarked;
