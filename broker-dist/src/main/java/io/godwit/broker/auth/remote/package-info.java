/**
 * The means by which auth providers call other services: bounded in time and size, with TLS settings of their own.
 * Depends on plugin-api and base-common alone.
 */
@NullMarked
package io.godwit.broker.auth.remote;

import org.jspecify.annotations.NullMarked;
