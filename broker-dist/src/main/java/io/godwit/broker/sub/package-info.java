/** Delivers messages to SubBrokers of plugins, from sessions without a connection (docs/adr/0092). */
@NullMarked
package io.godwit.broker.sub;

import org.jspecify.annotations.NullMarked;
