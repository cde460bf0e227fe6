/** Handlers of bans, tokens, users and rules. */
@NullMarked
package io.godwit.api.route.access;

import org.jspecify.annotations.NullMarked;
