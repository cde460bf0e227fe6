/** Reads CPU and memory of the broker and of the tool itself while a load runs. */
@NullMarked
package io.godwit.perf.observe;

import org.jspecify.annotations.NullMarked;
