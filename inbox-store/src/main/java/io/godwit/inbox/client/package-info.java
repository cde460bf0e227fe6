/** The interface of the inbox store for frontends: persistent sessions and wills. */
@NullMarked
package io.godwit.inbox.client;

import org.jspecify.annotations.NullMarked;
