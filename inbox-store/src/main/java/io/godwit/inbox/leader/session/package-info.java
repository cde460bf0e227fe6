/** One session in memory: its filters, and the retained messages that it is still owed. */
@NullMarked
package io.godwit.inbox.leader.session;

import org.jspecify.annotations.NullMarked;
