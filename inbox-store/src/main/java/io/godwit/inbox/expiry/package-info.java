/** Times of events of detached sessions: their ends and delayed wills. */
@NullMarked
package io.godwit.inbox.expiry;

import org.jspecify.annotations.NullMarked;
