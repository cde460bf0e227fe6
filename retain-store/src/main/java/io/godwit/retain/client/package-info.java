/** Retained messages as frontends use them. */
@NullMarked
package io.godwit.retain.client;

import org.jspecify.annotations.NullMarked;
