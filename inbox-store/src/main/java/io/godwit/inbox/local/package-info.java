/**
 * Carries commands to the leaders of this process. It knows which range has an inbox and which inboxes are certainly
 * not stored, but not how a leader works.
 */
@NullMarked
package io.godwit.inbox.local;

import org.jspecify.annotations.NullMarked;
