/** Which tenant a client belongs to, and what holds for it. */
@NullMarked
package io.godwit.mqtt.tenant;

import org.jspecify.annotations.NullMarked;
