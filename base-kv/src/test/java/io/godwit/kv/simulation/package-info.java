/** A store on three simulated nodes, on one thread and in an order that a seed gives, and the tests on it. */
@NullMarked
package io.godwit.kv.simulation;

import org.jspecify.annotations.NullMarked;
