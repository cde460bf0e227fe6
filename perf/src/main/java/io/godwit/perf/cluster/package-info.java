/** Starts brokers of a Godwit distribution as one cluster on the loopback address, and stops them. */
@NullMarked
package io.godwit.perf.cluster;

import org.jspecify.annotations.NullMarked;
