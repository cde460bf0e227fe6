@NullMarked
package io.godwit.broker.auth.chain;

import org.jspecify.annotations.NullMarked;
