/**
 * The stores and ranges of a node: {@link io.godwit.kv.KvNode} opens them, {@link io.godwit.kv.KvStore#client} is how
 * they are used.
 */
@NullMarked
package io.godwit.kv;

import org.jspecify.annotations.NullMarked;
