/** Sessions in memory, which end with their connection: their queues, and the fan-out to them. */
@NullMarked
package io.godwit.mqtt.session.live;

import org.jspecify.annotations.NullMarked;
