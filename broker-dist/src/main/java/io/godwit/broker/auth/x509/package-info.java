/**
 * The auth provider "x509": takes the user from the client's certificate (docs/authentication.md). Depends on
 * plugin-api alone, so it could be a jar of its own.
 */
@NullMarked
package io.godwit.broker.auth.x509;

import org.jspecify.annotations.NullMarked;
