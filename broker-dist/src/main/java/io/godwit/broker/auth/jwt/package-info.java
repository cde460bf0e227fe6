/**
 * The auth provider "jwt": clients show a signed token (docs/authentication.md, docs/adr/0088). Uses plugin-api, jose4j
 * and the packages {@code auth.filter} and {@code auth.remote} alone, so that it could be a jar.
 */
@NullMarked
package io.godwit.broker.auth.jwt;

import org.jspecify.annotations.NullMarked;
