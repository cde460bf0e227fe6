/** Ranges in memory, driven by hand, for the tests of the stores. */
@NullMarked
package io.godwit.kv.testing;

import org.jspecify.annotations.NullMarked;
