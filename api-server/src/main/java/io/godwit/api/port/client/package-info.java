/** Clients of all nodes: connections, stored sessions and subscriptions. */
@NullMarked
package io.godwit.api.port.client;

import org.jspecify.annotations.NullMarked;
