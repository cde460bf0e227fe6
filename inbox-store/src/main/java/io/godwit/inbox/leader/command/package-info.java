/** Carries out commands: inserts, attachments, changes of subscriptions and sessions. */
@NullMarked
package io.godwit.inbox.leader.command;

import org.jspecify.annotations.NullMarked;
