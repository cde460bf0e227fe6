/** Handlers that map requests to the ports that answer them. */
@NullMarked
package io.godwit.api.route;

import org.jspecify.annotations.NullMarked;
