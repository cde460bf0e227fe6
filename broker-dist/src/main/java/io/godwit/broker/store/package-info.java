/**
 * What a store does through the other stores: deliveries to inboxes, wills and delayed messages. No store uses another
 * itself.
 */
@NullMarked
package io.godwit.broker.store;

import org.jspecify.annotations.NullMarked;
