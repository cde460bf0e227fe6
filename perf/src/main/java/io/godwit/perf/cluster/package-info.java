/** Brokers of a Godwit distribution that this tool starts as one cluster on the loopback address, and ends again. */
@NullMarked
package io.godwit.perf.cluster;

import org.jspecify.annotations.NullMarked;
