@NullMarked
package io.godwit.broker.conversion;

import org.jspecify.annotations.NullMarked;
