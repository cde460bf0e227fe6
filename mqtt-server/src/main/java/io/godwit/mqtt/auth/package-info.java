/** How the frontend asks the {@link io.godwit.plugin.auth.AuthProvider}: fail-closed, in order, and AUTH packets. */
@NullMarked
package io.godwit.mqtt.auth;

import org.jspecify.annotations.NullMarked;
