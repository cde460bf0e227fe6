/** Commands about clients, their sessions and subscriptions. */
@NullMarked
package io.godwit.broker.admin.api.client;

import org.jspecify.annotations.NullMarked;
