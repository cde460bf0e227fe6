/** Copies of a node's ranges, and data directories made from them. */
@NullMarked
package io.godwit.kv.backup;

import org.jspecify.annotations.NullMarked;
