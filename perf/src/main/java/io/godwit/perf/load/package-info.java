/** The load itself: clients based on Vert.x MQTT, paced by a timetable, and their measurements. */
@NullMarked
package io.godwit.perf.load;

import org.jspecify.annotations.NullMarked;
