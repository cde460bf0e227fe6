/** The memory use of this process, and the guard that reports when memory becomes short. */
@NullMarked
package io.godwit.mqtt.transport.memory;

import org.jspecify.annotations.NullMarked;
