/** What an operator learns of waits for other nodes. */
@NullMarked
package io.godwit.inbox.report;

import org.jspecify.annotations.NullMarked;
