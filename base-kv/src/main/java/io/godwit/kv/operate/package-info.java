/** Requests of operators and balancers to the ranges and nodes of a cluster, and how they are carried out. */
@NullMarked
package io.godwit.kv.operate;

import org.jspecify.annotations.NullMarked;
