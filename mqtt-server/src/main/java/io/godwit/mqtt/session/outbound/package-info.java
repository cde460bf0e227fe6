/** Messages to a client: the window, those under way, topic aliases, and clients that read slowly. */
@NullMarked
package io.godwit.mqtt.session.outbound;

import org.jspecify.annotations.NullMarked;
