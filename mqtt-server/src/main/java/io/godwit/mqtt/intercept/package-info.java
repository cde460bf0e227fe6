/** What plugins make of messages on their way in and out: chains of interceptors, and the bounds of changes. */
@NullMarked
package io.godwit.mqtt.intercept;

import org.jspecify.annotations.NullMarked;
