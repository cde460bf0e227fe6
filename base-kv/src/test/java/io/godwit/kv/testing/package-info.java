/** What the stores test themselves on: ranges in memory, driven by hand. */
@NullMarked
package io.godwit.kv.testing;

import org.jspecify.annotations.NullMarked;
