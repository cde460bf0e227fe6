package io.godwit.broker.auth.jwt;

import org.jspecify.annotations.Nullable;

/**
 * What a connection has from its token.
 *
 * @param rights null when the token says nothing of them
 * @param endMillis when it may do nothing more until it has authenticated again, as wall time; the largest number for
 *     never
 */
record TokenGrant(@Nullable Rights rights, long endMillis) {}
