/** Bounds of connections and requests, problem documents, JSON. */
@NullMarked
package io.godwit.api.http;

import org.jspecify.annotations.NullMarked;
