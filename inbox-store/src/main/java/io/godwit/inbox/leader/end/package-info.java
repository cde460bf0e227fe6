/** The end of connections and sessions, and what is still owed after it: wills, routes, messages of shared groups. */
@NullMarked
package io.godwit.inbox.leader.end;

import org.jspecify.annotations.NullMarked;
