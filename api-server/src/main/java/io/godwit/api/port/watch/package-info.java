/** Events and messages that an operator watches live. */
@NullMarked
package io.godwit.api.port.watch;

import org.jspecify.annotations.NullMarked;
