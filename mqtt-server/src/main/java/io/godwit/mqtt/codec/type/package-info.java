/** The codec of each packet type, with the rules of that packet. */
@NullMarked
package io.godwit.mqtt.codec.type;

import org.jspecify.annotations.NullMarked;
