/** From the first byte to CONNACK: CONNECT checks, takeover, opening of the session. */
@NullMarked
package io.godwit.mqtt.connect;

import org.jspecify.annotations.NullMarked;
