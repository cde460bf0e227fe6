/** The database of a replica: RocksDB, what is written to it in one batch, and what lies in its snapshots. */
@NullMarked
package io.godwit.kv.range.data;

import org.jspecify.annotations.NullMarked;
