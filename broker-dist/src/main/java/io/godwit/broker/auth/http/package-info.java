/**
 * The auth provider "http": asks a service who may connect and what clients may do (docs/authentication.md,
 * docs/adr/0088). Depends on plugin-api, base-common, Gson, the packages {@code auth.login} and {@code auth.remote} and
 * the circuit breaker of plugins alone.
 */
@NullMarked
package io.godwit.broker.auth.http;

import org.jspecify.annotations.NullMarked;
