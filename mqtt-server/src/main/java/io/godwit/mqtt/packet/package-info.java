/** The MQTT control packets as immutable values, one record each, the same for MQTT 3.1, 3.1.1 and 5.0. */
@NullMarked
package io.godwit.mqtt.packet;

import org.jspecify.annotations.NullMarked;
