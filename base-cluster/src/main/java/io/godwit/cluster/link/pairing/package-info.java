/**
 * This end of the links between two processes. {@code Pairing} outlives connections; {@code LaneOutlet} and
 * {@code LaneInlet} see to it that each frame arrives once and in order.
 */
@NullMarked
package io.godwit.cluster.link.pairing;

import org.jspecify.annotations.NullMarked;
