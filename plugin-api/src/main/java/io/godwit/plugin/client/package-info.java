/** Identity of a connection or a session: client and tenant. */
@NullMarked
package io.godwit.plugin.client;

import org.jspecify.annotations.NullMarked;
