/** What a run has shown, as a table row, JSON and HTML. */
@NullMarked
package io.godwit.perf.report;

import org.jspecify.annotations.NullMarked;
