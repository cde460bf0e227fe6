/** The settings of tenants, from their file and a provider, and the limits of each on this node. */
@NullMarked
package io.godwit.broker.tenants;

import org.jspecify.annotations.NullMarked;
