/** The tenant of each client, and its settings. */
@NullMarked
package io.godwit.mqtt.tenant;

import org.jspecify.annotations.NullMarked;
