/** Committed entries are applied to the database, and snapshots are taken and loaded. */
@NullMarked
package io.godwit.kv.range.apply;

import org.jspecify.annotations.NullMarked;
