/** How a broker's cost grows with one thing at a time: connections, subscribers, payload, filters, rate. */
@NullMarked
package io.godwit.perf.curve;

import org.jspecify.annotations.NullMarked;
