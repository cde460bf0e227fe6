/** Metrics, statistics, their history, and the busiest clients and topics. */
@NullMarked
package io.godwit.api.port.figure;

import org.jspecify.annotations.NullMarked;
