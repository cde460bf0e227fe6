/**
 * The way of a request to its handler: rate, origin, token, role, parameters and body are checked, and the answer is
 * sent.
 */
@NullMarked
package io.godwit.api.gateway;

import org.jspecify.annotations.NullMarked;
