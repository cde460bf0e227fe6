/** The messages between two nodes about client ids, as frames. */
@NullMarked
package io.godwit.inbox.session.frame;

import org.jspecify.annotations.NullMarked;
