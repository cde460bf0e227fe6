/** Benchmarks and load generators. */
@NullMarked
package io.godwit.perf;

import org.jspecify.annotations.NullMarked;
