/** Which messages two nodes send each other: the versions, and messages as bytes. */
@NullMarked
package io.godwit.kv.protocol;

import org.jspecify.annotations.NullMarked;
