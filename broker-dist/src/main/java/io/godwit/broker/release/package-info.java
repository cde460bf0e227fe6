/** Which release of the broker this is. */
@NullMarked
package io.godwit.broker.release;

import org.jspecify.annotations.NullMarked;
