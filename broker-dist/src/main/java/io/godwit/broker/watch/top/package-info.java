/** Lists of the slowest subscribers and of the busiest clients and topics of all nodes, for operators. */
@NullMarked
package io.godwit.broker.watch.top;

import org.jspecify.annotations.NullMarked;
