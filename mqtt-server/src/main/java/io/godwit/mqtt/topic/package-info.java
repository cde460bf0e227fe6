/**
 * What a topic is called by a client and within the broker: mount points, rewriting, and what is subscribed unasked.
 */
@NullMarked
package io.godwit.mqtt.topic;

import org.jspecify.annotations.NullMarked;
