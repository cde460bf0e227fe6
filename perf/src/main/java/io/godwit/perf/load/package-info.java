/**
 * A run of a load, from its preparation to its result: clients are opened, paced by a timetable, sampled and counted.
 */
@NullMarked
package io.godwit.perf.load;

import org.jspecify.annotations.NullMarked;
