/** The settings of the stores and their balancers: {@code storeConfig}. */
@NullMarked
package io.godwit.broker.settings.store;

import org.jspecify.annotations.NullMarked;
