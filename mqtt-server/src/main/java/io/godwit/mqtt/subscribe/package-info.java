/** SUBSCRIBE and UNSUBSCRIBE, and the retained messages a new subscription gets. */
@NullMarked
package io.godwit.mqtt.subscribe;

import org.jspecify.annotations.NullMarked;
