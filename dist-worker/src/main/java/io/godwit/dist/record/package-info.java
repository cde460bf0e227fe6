/** Small records of operators, stored beside the routes in the dist store; every node has all of them in memory. */
@NullMarked
package io.godwit.dist.record;

import org.jspecify.annotations.NullMarked;
