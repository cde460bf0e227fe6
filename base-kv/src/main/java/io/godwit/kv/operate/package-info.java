/** What operators and balancers ask of the ranges and nodes of a cluster, and how that is carried out. */
@NullMarked
package io.godwit.kv.operate;

import org.jspecify.annotations.NullMarked;
