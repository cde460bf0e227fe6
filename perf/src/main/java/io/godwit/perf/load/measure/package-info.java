/** Histograms, clocks and timetables of a load, and the samples made with them. */
@NullMarked
package io.godwit.perf.load.measure;

import org.jspecify.annotations.NullMarked;
