/** What a cluster costs beside one node: the same loads on both in one command, and the ratios of their figures. */
@NullMarked
package io.godwit.perf.rows;

import org.jspecify.annotations.NullMarked;
