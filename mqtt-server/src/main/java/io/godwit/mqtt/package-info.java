/** The MQTT frontend. */
@NullMarked
package io.godwit.mqtt;

import org.jspecify.annotations.NullMarked;
