/** Figures of published reports, for comparison with ours. */
@NullMarked
package io.godwit.perf.published;

import org.jspecify.annotations.NullMarked;
