/** Measures how a broker's cost grows with one quantity at a time: connections, subscribers, payload, filters, rate. */
@NullMarked
package io.godwit.perf.curve;

import org.jspecify.annotations.NullMarked;
