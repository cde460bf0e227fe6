/** Topics in the client's and in the broker's form: mount points, rewriting, and automatic subscriptions. */
@NullMarked
package io.godwit.mqtt.topic;

import org.jspecify.annotations.NullMarked;
