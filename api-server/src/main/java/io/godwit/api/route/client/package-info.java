/** Handlers of clients, stored sessions and subscriptions. */
@NullMarked
package io.godwit.api.route.client;

import org.jspecify.annotations.NullMarked;
