/** Brings each command to the node that leads its inbox, and again to the next leader, in order for each inbox. */
@NullMarked
package io.godwit.inbox.carrier.home;

import org.jspecify.annotations.NullMarked;
