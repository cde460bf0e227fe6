/** Sessions in the inbox store: their attachment, subscriptions, and replays of retained messages. */
@NullMarked
package io.godwit.mqtt.session.persistent;

import org.jspecify.annotations.NullMarked;
