/** Hands matched messages to the deliverers and combines their answers. */
@NullMarked
package io.godwit.dist.deliver;

import org.jspecify.annotations.NullMarked;
