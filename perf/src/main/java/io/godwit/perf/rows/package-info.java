/**
 * Measures what a cluster costs compared with one node: one command runs the same loads on both and gives the ratios of
 * their figures.
 */
@NullMarked
package io.godwit.perf.rows;

import org.jspecify.annotations.NullMarked;
