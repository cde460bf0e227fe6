/** The ranges of the retain store: keys, the index of topics, expiry. */
@NullMarked
package io.godwit.retain.topic;

import org.jspecify.annotations.NullMarked;
