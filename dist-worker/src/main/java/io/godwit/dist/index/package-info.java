/** The index that every publish is matched against: all subscriptions that this node knows, in memory. */
@NullMarked
package io.godwit.dist.index;

import org.jspecify.annotations.NullMarked;
