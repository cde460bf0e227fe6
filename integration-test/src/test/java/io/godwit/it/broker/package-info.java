/** Brokers under test, as processes that can be killed. */
@NullMarked
package io.godwit.it.broker;

import org.jspecify.annotations.NullMarked;
