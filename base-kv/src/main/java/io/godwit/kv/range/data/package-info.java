/** The database of a replica: RocksDB, its write batches, and the content of its snapshots. */
@NullMarked
package io.godwit.kv.range.data;

import org.jspecify.annotations.NullMarked;
