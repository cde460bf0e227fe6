/** What happens when time passes: ends of sessions, delayed wills. */
@NullMarked
package io.godwit.inbox.expiry;

import org.jspecify.annotations.NullMarked;
