/**
 * Both ends of the inbox protocol for one other node: {@code RemoteCarrier} sends commands to the leaders there,
 * {@code EdgeService} passes its commands to the leaders here.
 */
@NullMarked
package io.godwit.inbox.carrier.peer;

import org.jspecify.annotations.NullMarked;
