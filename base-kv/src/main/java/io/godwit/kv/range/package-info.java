/** One replica of a range, made of its parts, and operations on several replicas of a node. */
@NullMarked
package io.godwit.kv.range;

import org.jspecify.annotations.NullMarked;
