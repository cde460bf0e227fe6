/**
 * Where entries of watches come from: the events ({@code EventTap}) and messages ({@code TraceTap}) of this node, until
 * they are read from a bounded queue.
 */
@NullMarked
package io.godwit.broker.watch.tap;

import org.jspecify.annotations.NullMarked;
