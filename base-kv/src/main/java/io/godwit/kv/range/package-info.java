/** One replica of a range, made of its parts, and what is done to several replicas of a node together. */
@NullMarked
package io.godwit.kv.range;

import org.jspecify.annotations.NullMarked;
