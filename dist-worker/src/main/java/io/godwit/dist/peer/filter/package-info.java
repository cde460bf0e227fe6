/** Which node has live subscribers of which filters: what this node tells the others, and what it has learned. */
@NullMarked
package io.godwit.dist.peer.filter;

import org.jspecify.annotations.NullMarked;
