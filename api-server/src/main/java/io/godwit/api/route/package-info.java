/** What the handlers of all subjects share: the call, its reply, and the texts and positions in them. */
@NullMarked
package io.godwit.api.route;

import org.jspecify.annotations.NullMarked;
