/**
 * What every part of a replica uses: its executor, its settings, the objects shared by a node's ranges, and the
 * replica.
 */
@NullMarked
package io.godwit.kv.range.replica;

import org.jspecify.annotations.NullMarked;
