/** How auth providers ask other services: bounded in time and size, over TLS of their own. Uses plugin-api alone. */
@NullMarked
package io.godwit.broker.auth.remote;

import org.jspecify.annotations.NullMarked;
