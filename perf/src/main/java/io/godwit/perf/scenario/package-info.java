/** Scenarios, and the names by which users know them. */
@NullMarked
package io.godwit.perf.scenario;

import org.jspecify.annotations.NullMarked;
