/** Applies committed entries to the database, and takes and loads snapshots. */
@NullMarked
package io.godwit.kv.range.apply;

import org.jspecify.annotations.NullMarked;
