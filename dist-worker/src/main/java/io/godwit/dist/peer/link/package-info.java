/** What every exchange with peers needs: control frames, timers, counters, and whether messages come back. */
@NullMarked
package io.godwit.dist.peer.link;

import org.jspecify.annotations.NullMarked;
