/** What both ends of a link to another node use: its sending side, and the wire format of frames. */
@NullMarked
package io.godwit.inbox.carrier.link;

import org.jspecify.annotations.NullMarked;
