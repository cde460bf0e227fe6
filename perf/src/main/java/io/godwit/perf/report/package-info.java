/** Reports the results of runs, as table rows, JSON and HTML. */
@NullMarked
package io.godwit.perf.report;

import org.jspecify.annotations.NullMarked;
