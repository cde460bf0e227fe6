/** Redirects of clients to other nodes: the exchange of loads, and the shipped balancer. */
@NullMarked
package io.godwit.broker.redirect;

import org.jspecify.annotations.NullMarked;
