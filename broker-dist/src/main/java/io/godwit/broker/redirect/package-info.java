/** Which clients are to use another node: what nodes tell each other for it, and the balancer that ships. */
@NullMarked
package io.godwit.broker.redirect;

import org.jspecify.annotations.NullMarked;
