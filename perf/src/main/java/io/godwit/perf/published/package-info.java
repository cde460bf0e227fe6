/** Figures of published reports, beside which ours are put. */
@NullMarked
package io.godwit.perf.published;

import org.jspecify.annotations.NullMarked;
