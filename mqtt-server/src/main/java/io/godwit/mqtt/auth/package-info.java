/** Calls of the {@link io.godwit.plugin.auth.AuthProvider}: fail-closed and in order; AUTH packets. */
@NullMarked
package io.godwit.mqtt.auth;

import org.jspecify.annotations.NullMarked;
