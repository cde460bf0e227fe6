/** What the clients of each tenant use together, and how much of it they may. */
@NullMarked
package io.godwit.mqtt.quota;

import org.jspecify.annotations.NullMarked;
