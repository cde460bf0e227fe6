/** Collections for an index of a million filters, nearly all of which hold no element or one. */
@NullMarked
package io.godwit.dist.index.compact;

import org.jspecify.annotations.NullMarked;
