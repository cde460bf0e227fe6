/** Hands messages to SubBrokers of plugins, out of sessions without a connection (docs/adr/0092). */
@NullMarked
package io.godwit.broker.sub;

import org.jspecify.annotations.NullMarked;
