/** What every part of a replica needs: its executor, its settings, what the ranges of a node share, and the whole. */
@NullMarked
package io.godwit.kv.range.replica;

import org.jspecify.annotations.NullMarked;
