/** Bans of operators. */
@NullMarked
package io.godwit.mqtt.ban;

import org.jspecify.annotations.NullMarked;
