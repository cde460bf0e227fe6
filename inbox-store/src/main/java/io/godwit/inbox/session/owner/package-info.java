/** The client ids that this node owns: who has each of them, and who waits for it. */
@NullMarked
package io.godwit.inbox.session.owner;

import org.jspecify.annotations.NullMarked;
