@NullMarked
package io.godwit.broker.sub;

import org.jspecify.annotations.NullMarked;
