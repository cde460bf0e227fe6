/** How much the clients of each tenant use together, and their limits. */
@NullMarked
package io.godwit.mqtt.quota;

import org.jspecify.annotations.NullMarked;
