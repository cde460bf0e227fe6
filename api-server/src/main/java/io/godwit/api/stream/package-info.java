/** Answers of server-sent events. */
@NullMarked
package io.godwit.api.stream;

import org.jspecify.annotations.NullMarked;
