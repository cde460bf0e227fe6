/** Hands a matched message to the deliverers and joins their answers. */
@NullMarked
package io.godwit.dist.deliver;

import org.jspecify.annotations.NullMarked;
