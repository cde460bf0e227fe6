/** The stored routes of persistent sessions, and the index that every publish is matched against. */
@NullMarked
package io.godwit.dist.route;

import org.jspecify.annotations.NullMarked;
