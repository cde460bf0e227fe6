/** Small records of operators, beside the routes in the dist store: every node has them all in memory. */
@NullMarked
package io.godwit.dist.record;

import org.jspecify.annotations.NullMarked;
