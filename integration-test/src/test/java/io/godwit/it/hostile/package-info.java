/** Clients that mean harm, or act as if they did: others must not notice, and what they took must come back. */
@NullMarked
package io.godwit.it.hostile;

import org.jspecify.annotations.NullMarked;
