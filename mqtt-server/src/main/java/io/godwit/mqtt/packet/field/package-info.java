/** What the packets consist of: reason codes, protocol levels, the will of a CONNECT, the filters of a SUBSCRIBE. */
@NullMarked
package io.godwit.mqtt.packet.field;

import org.jspecify.annotations.NullMarked;
