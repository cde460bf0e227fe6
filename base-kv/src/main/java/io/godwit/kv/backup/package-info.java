/** Copies of a node's ranges, and a data directory that is made of them. */
@NullMarked
package io.godwit.kv.backup;

import org.jspecify.annotations.NullMarked;
