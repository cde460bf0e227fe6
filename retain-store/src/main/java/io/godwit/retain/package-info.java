/** The retain-store: one message per topic, kept for those who subscribe later. */
@NullMarked
package io.godwit.retain;

import org.jspecify.annotations.NullMarked;
