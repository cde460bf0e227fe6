/** Plugins that change messages on their way in and out: chains of interceptors, and limits for changes. */
@NullMarked
package io.godwit.mqtt.intercept;

import org.jspecify.annotations.NullMarked;
