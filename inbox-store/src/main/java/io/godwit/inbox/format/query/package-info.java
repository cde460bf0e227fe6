/** What operators' lists ask of a range, and its answers: sessions, and the subscriptions of one session. */
@NullMarked
package io.godwit.inbox.format.query;

import org.jspecify.annotations.NullMarked;
