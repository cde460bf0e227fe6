/** What brokers measure, as programs of others read it. */
@NullMarked
package io.godwit.it.metrics;

import org.jspecify.annotations.NullMarked;
