/**
 * The ranges of a node: {@link io.godwit.kv.KvNode} opens them, stores are used through
 * {@link io.godwit.kv.KvStore#client}.
 */
@NullMarked
package io.godwit.kv;

import org.jspecify.annotations.NullMarked;
