/** The file of the tenants: what holds for each. */
@NullMarked
package io.godwit.broker.tenants;

import org.jspecify.annotations.NullMarked;
