/** Handlers of the streams of events and of traced messages. */
@NullMarked
package io.godwit.api.route.watch;

import org.jspecify.annotations.NullMarked;
