/** Decides which connection holds a client id. */
@NullMarked
package io.godwit.inbox.session;

import org.jspecify.annotations.NullMarked;
