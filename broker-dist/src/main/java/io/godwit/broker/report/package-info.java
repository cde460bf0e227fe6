/** What the broker reports of itself: the status file, the log of events, and through what its parts report. */
@NullMarked
package io.godwit.broker.report;

import org.jspecify.annotations.NullMarked;
