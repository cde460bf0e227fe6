/** The client of the retain store, which frontends use. */
@NullMarked
package io.godwit.retain.client;

import org.jspecify.annotations.NullMarked;
