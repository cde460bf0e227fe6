/** Publishes from clients: aliases, checks, commits, distribution, and acknowledgements in order. */
@NullMarked
package io.godwit.mqtt.session.inbound;

import org.jspecify.annotations.NullMarked;
