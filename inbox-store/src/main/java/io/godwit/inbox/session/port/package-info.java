/** The messages between the node of a connection and the owner of its client id, and their values. */
@NullMarked
package io.godwit.inbox.session.port;

import org.jspecify.annotations.NullMarked;
