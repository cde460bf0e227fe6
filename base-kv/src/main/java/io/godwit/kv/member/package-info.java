/** How a node comes into its cluster, who is in it, and what of that is noted for good. */
@NullMarked
package io.godwit.kv.member;

import org.jspecify.annotations.NullMarked;
