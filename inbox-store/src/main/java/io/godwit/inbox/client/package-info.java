/** Persistent sessions and wills as frontends use them. */
@NullMarked
package io.godwit.inbox.client;

import org.jspecify.annotations.NullMarked;
