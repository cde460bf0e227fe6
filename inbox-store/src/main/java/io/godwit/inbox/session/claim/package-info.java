/** The client ids that connections of this node have or wait for. */
@NullMarked
package io.godwit.inbox.session.claim;

import org.jspecify.annotations.NullMarked;
