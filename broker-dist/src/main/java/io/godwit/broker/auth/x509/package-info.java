/**
 * The auth provider "x509": who a client is stands in its certificate (docs/authentication.md). Uses plugin-api alone,
 * so that it could be a jar.
 */
@NullMarked
package io.godwit.broker.auth.x509;

import org.jspecify.annotations.NullMarked;
