/** The dashboard of brokers, in a real browser. */
@NullMarked
package io.godwit.it.dashboard;

import org.jspecify.annotations.NullMarked;
