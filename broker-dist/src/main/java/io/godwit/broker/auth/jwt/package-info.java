/**
 * The auth provider "jwt": clients present a signed token (docs/authentication.md, docs/adr/0088). Depends on
 * plugin-api, base-common, jose4j and the packages {@code auth.filter} and {@code auth.remote} alone, so it could be a
 * jar of its own.
 */
@NullMarked
package io.godwit.broker.auth.jwt;

import org.jspecify.annotations.NullMarked;
