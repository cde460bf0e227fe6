/** What a trace follows in the frontend. */
@NullMarked
package io.godwit.mqtt.trace;

import org.jspecify.annotations.NullMarked;
