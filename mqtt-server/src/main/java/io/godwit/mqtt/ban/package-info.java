/** Whom operators have banned. */
@NullMarked
package io.godwit.mqtt.ban;

import org.jspecify.annotations.NullMarked;
