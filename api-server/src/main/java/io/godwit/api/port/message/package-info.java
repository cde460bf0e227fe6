/** Messages of all nodes: those to publish, retained and delayed ones. */
@NullMarked
package io.godwit.api.port.message;

import org.jspecify.annotations.NullMarked;
