/** The values below {@code $SYS} that clients subscribe to: those of the node and those of tenants. */
@NullMarked
package io.godwit.broker.sys;

import org.jspecify.annotations.NullMarked;
