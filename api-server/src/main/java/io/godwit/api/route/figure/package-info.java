/** Handlers of metrics, statistics, their history, and the busiest clients and topics. */
@NullMarked
package io.godwit.api.route.figure;

import org.jspecify.annotations.NullMarked;
