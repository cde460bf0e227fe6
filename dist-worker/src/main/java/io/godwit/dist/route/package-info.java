/** The stored routes of persistent sessions: their keys and values, and the state machine that keeps them. */
@NullMarked
package io.godwit.dist.route;

import org.jspecify.annotations.NullMarked;
