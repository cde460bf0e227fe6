/**
 * One plugin while the broker runs ({@link HostedPlugin}): its settings, its limits, its circuit breaker and its state.
 */
@NullMarked
package io.godwit.broker.plugin.instance;

import org.jspecify.annotations.NullMarked;
