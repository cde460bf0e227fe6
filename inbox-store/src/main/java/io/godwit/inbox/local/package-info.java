/**
 * Brings commands to the leaders of this process. It knows where an inbox has its place and which inboxes are certainly
 * not stored, but nothing of how a leader works.
 */
@NullMarked
package io.godwit.inbox.local;

import org.jspecify.annotations.NullMarked;
