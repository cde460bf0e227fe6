/** The messages that nodes send each other on links, as bytes, and the versions of their layout. */
@NullMarked
package io.godwit.cluster.link.message;

import org.jspecify.annotations.NullMarked;
