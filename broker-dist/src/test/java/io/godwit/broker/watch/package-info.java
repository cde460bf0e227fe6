@NullMarked
package io.godwit.broker.watch;

import org.jspecify.annotations.NullMarked;
