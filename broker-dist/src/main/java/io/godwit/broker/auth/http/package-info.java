/**
 * The auth provider "http": a service is asked who may come in and what clients may do (docs/authentication.md,
 * docs/adr/0088). Uses plugin-api, Gson, the package {@code auth.remote} and the circuit breaker of plugins alone.
 */
@NullMarked
package io.godwit.broker.auth.http;

import org.jspecify.annotations.NullMarked;
