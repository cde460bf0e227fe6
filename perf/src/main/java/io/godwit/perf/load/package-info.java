/** The load itself: clients on Vert.x MQTT, paced by a timetable, and what they find out. */
@NullMarked
package io.godwit.perf.load;

import org.jspecify.annotations.NullMarked;
