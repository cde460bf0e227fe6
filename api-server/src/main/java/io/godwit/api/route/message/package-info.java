/** Handlers that publish messages, and show or remove retained and delayed ones. */
@NullMarked
package io.godwit.api.route.message;

import org.jspecify.annotations.NullMarked;
