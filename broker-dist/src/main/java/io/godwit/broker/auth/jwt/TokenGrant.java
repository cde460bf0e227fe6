package io.godwit.broker.auth.jwt;

import org.jspecify.annotations.Nullable;

/**
 * The grant that a connection gets from its token.
 *
 * @param rights null if the token has no such claim
 * @param endMillis wall time from when on nothing is allowed until the client authenticates again; the largest number
 * for never
 */
record TokenGrant(@Nullable Rights rights, long endMillis) {}
